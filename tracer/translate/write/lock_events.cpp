// SPDX-License-Identifier: BSD-3-Clause
// See lock_events.hpp.
#include "tracer/translate/write/lock_events.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {
namespace {

bool has_block(Construct c) {
  return c == Construct::critical || c == Construct::ordered;
}
bool is_scoped(Construct c) {
  return has_block(c) || c == Construct::atomic || c == Construct::mutex_other;
}
Construct block_of(Construct c) {
  return c == Construct::critical ? Construct::critical_sblock : Construct::ordered_sblock;
}

}  // namespace

// The acquisition may call the routine by another kind than its begin did.
Construct LockEvents::routine_inside(Construct called) const {
  const Construct inner = nest_.current->open.inner_construct();
  const bool is_routine = inner == Construct::set_lock || inner == Construct::test_lock ||
                          inner == Construct::set_nest_lock || inner == Construct::test_nest_lock;
  return is_routine ? inner : called;
}

// A thread that sets a lock does nothing else before it has it, so without an acquisition it was a test that failed -
// also where libomp 13-16 report `lock` - and it ended when it began, as far as records show.
void LockEvents::resolve(const Record& r) {
  const Record test = std::exchange(pending_, Record{});
  RegionKey key = region_key(test);
  const Nanoseconds t = context_.clock(test.time);
  const bool acquired =
      (r.kind == RecordKind::mutex_acquired || (r.kind == RecordKind::nest_lock && r.endpoint == Endpoint::begin)) &&
      r.b == test.b;
  const bool is_set = key.construct == Construct::set_lock || key.construct == Construct::set_nest_lock;
  const bool unknown = r.kind == RecordKind::ring_wait || r.kind == RecordKind::lost || r.kind == RecordKind::invalid;
  if (acquired || (is_set && unknown)) return regions_.enter(t, key);
  key.construct = test_construct(test.sub);
  regions_.pass(t, key);
}

void LockEvents::write_implied(Nanoseconds t, Repair why) {
  const LockOperation op = course_.next_implied()->operation;
  for (std::size_t n = course_.take_implied(why); n > 0; --n) write(EventType::release_lock, op, t);
}

void LockEvents::acquired(const Record& r, Nanoseconds t) {
  const Construct c = mutex_construct(r.sub);
  const LockOperation op = course_.acquired();
  if (op.moved != 0) [[unlikely]]
    t = context_.clock(r.time + op.moved);  // the clock was read too early
  write(EventType::acquire_lock, op, t);
  if (has_block(c)) return regions_.enter(t, {r.c, block_of(c), false, 0});
  if (!is_scoped(c)) regions_.leave(t, routine_inside(c));
}

void LockEvents::released(const Record& r, Nanoseconds t) {
  const Construct c = mutex_construct(r.sub);
  const LockOperation op = course_.released(!context_.out.paused());
  // The release callback comes after the unlock: another thread may have the lock by then.
  const Nanoseconds unlocked =
      op.moved != 0 ? std::clamp(context_.clock(r.time - op.moved), std::min(context_.out.last(), t), t) : t;
  Site& site = regions_.site_of(r);
  if (!is_scoped(c)) context_.out.enter(unlocked, regions_.region_at(site));
  if (has_block(c)) regions_.leave(unlocked, block_of(c));
  write(EventType::release_lock, op, unlocked);
  if (is_scoped(c)) return regions_.leave(t, c);
  context_.out.leave(unlocked, regions_.region_at(site));
}

void LockEvents::nested(const Record& r, Nanoseconds t) {
  if (r.endpoint == Endpoint::begin) {
    write(EventType::acquire_lock, course_.acquired(), t);
    return regions_.leave(t, routine_inside(Construct::set_nest_lock));
  }
  Site& site = regions_.site_of(r);
  context_.out.enter(t, regions_.region_at(site));
  write(EventType::release_lock, course_.released(!context_.out.paused()), t);
  context_.out.leave(t, regions_.region_at(site));
}

void LockEvents::mutex(const Record& r, Nanoseconds t) {
  switch (r.kind) {
    case RecordKind::mutex_acquire:
      if (!is_lock_routine(r.sub)) return regions_.enter_at(t, regions_.site_of(r));
      pending_ = r;
      return;
    case RecordKind::mutex_acquired:
      return acquired(r, t);
    case RecordKind::mutex_released:
      return released(r, t);
    case RecordKind::nest_lock:
      return nested(r, t);
    default:  // lock_init, lock_destroy
      context_.out.attribute(context_.names[Attribute::wait_id], r.b);
      if (r.kind == RecordKind::lock_init) {
        context_.out.attribute(context_.names[Attribute::mutex_implementation], r.a & 0xff);
        context_.out.attribute(context_.names[Attribute::mutex_hint], r.a >> 8);
      }
      return regions_.pass_at(t, regions_.region_at(regions_.site_of(r)));
  }
}

}  // namespace tracer::translate
