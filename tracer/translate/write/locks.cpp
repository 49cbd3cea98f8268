// SPDX-License-Identifier: BSD-3-Clause
// Critical, ordered, atomic and lock routines; each acquisition with its number in the lock's order.
#include <algorithm>

#include "tracer/translate/write/location_translator.hpp"

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
Construct LocationTranslator::routine_inside(Construct called) const {
  const Construct inner = current_->open.empty() ? called : current_->open.back().construct;
  const bool is_routine = inner == Construct::set_lock || inner == Construct::test_lock ||
                          inner == Construct::set_nest_lock || inner == Construct::test_nest_lock;
  return is_routine ? inner : called;
}

LockOperation LocationTranslator::next_operation() {
  LockOperation op;
  lock_orders_.next(op);
  return op;
}

// The release callback comes after the unlock: another thread may have the lock by then.
Nanoseconds LocationTranslator::release_time(const LockOperation& op, const Record& r, Nanoseconds t) const {
  return op.moved != 0 ? std::clamp(clock_(r.time - op.moved), std::min(out_.last(), t), t) : t;
}

// Whether a lock routine got its lock is known by the next record alone. A thread that sets a lock
// does nothing else before it has it, so without an acquisition it was a test that failed - also
// where libomp 13-16 say `lock` - and it ended when it began, as far as anyone says.
void LocationTranslator::resolve_lock_test(const Record& r) {
  has_pending_test_ = false;
  RegionKey key = region_key(pending_test_);
  const Nanoseconds t = clock_(pending_test_.time);
  const bool acquired =
      (r.kind == RecordKind::mutex_acquired || (r.kind == RecordKind::nest_lock && r.endpoint == Endpoint::begin)) &&
      r.b == pending_test_.b;
  const bool is_set = key.construct == Construct::set_lock || key.construct == Construct::set_nest_lock;
  const bool unknown = r.kind == RecordKind::ring_wait || r.kind == RecordKind::lost || r.kind == RecordKind::invalid;
  if (acquired || (is_set && unknown)) return enter(t, key);
  key.construct = test_construct(pending_test_.sub);
  pass(t, key);
}

bool LocationTranslator::is_ended(const LockOperation& op) const {
  return std::any_of(ended_.begin(), ended_.end(), [&](const LockOperation& other) { return other.is_of(op); });
}

void LocationTranslator::acquire(const LockOperation& op, Nanoseconds t) {
  if (op.order == 0 || is_ended(op)) return;
  if (!ended_.empty()) std::erase_if(ended_, [&](const LockOperation& other) { return other.lock == op.lock; });
  out_.add(t, EventType::acquire_lock, 0, op.lock, op.order);
  held_.push_back(op);
}

void LocationTranslator::release(const LockOperation& op, Nanoseconds t) {
  if (op.order == 0 || is_ended(op)) {
    if (!out_.paused()) note(Repair::release_without_acquisition);
    return;
  }
  out_.add(t, EventType::release_lock, 0, op.lock, op.order);
  const auto mine =
      std::find_if(held_.rbegin(), held_.rend(), [&](const LockOperation& other) { return other.is_of(op); });
  if (mine != held_.rend()) held_.erase(std::next(mine).base());
}

// The release comes after the unlock: another thread may have the lock by then. The release writes the time of the
// unlock itself, if nothing else comes between.
bool LocationTranslator::is_last_before(Ticks time) const {
  const bool implied =
      next_implied_ + 1 < plan_.implied_releases.size() && plan_.implied_releases[next_implied_ + 1].time < time;
  const bool toggled = next_toggle_ < tables_.toggles.size() && tables_.toggles[next_toggle_].time <= time;
  return !implied && !toggled;
}

// Acquisitions whose release did not come in time: another thread has the lock, or the trace ends.
void LocationTranslator::release_implied(Ticks before, const Record* next) {
  for (; next_implied_ < plan_.implied_releases.size(); ++next_implied_) {
    const ImpliedRelease& implied = plan_.implied_releases[next_implied_];
    if (before != never && implied.time >= before) return;
    if (implied.acquisition >= lock_orders_.index()) continue;  // never translated
    if (before != never) toggle(implied.time);
    const auto due = [&] { return std::max(clock_(std::min(implied.time, tables_.end)), out_.last()); };
    if (is_at_team_boundary()) complete_team_boundary(Record{}, due());
    if (next != nullptr && next->kind == RecordKind::mutex_released && implied.release == lock_orders_.index() &&
        is_last_before(before))
      continue;
    const LockOperation& op = implied.operation;
    const Nanoseconds t = due();
    for (std::size_t n = held_.size(); n-- > 0;) {
      if (!held_[n].is_of(op)) continue;
      out_.add(t, EventType::release_lock, 0, op.lock, op.order);
      held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    note(before != never ? Repair::lock_released_by_next_acquisition : Repair::lock_released_at_end_of_trace);
    ended_.push_back(op);
  }
}

void LocationTranslator::mutex(const Record& r, Nanoseconds t) {
  Site& site = site_of(r);
  switch (r.kind) {
    case RecordKind::mutex_acquire:
      if (!is_lock_routine(r.sub)) return enter_at(t, site);
      pending_test_ = r;
      has_pending_test_ = true;
      return;
    case RecordKind::mutex_acquired: {
      const Construct c = mutex_construct(r.sub);
      const LockOperation op = next_operation();
      if (op.moved != 0) [[unlikely]]
        t = clock_(r.time + op.moved);  // the clock was read too early
      acquire(op, t);
      if (has_block(c)) return enter(t, {r.c, block_of(c), false, 0});
      if (!is_scoped(c)) leave(t, routine_inside(c));
      return;
    }
    case RecordKind::mutex_released: {
      const Construct c = mutex_construct(r.sub);
      const LockOperation op = next_operation();
      const Nanoseconds released = release_time(op, r, t);
      if (!is_scoped(c)) out_.add(released, EventType::enter, region_at(site));
      if (has_block(c)) leave(released, block_of(c));
      release(op, released);
      return is_scoped(c) ? leave(t, c) : out_.add(released, EventType::leave, region_at(site));
    }
    case RecordKind::nest_lock: {
      const LockOperation op = next_operation();
      if (r.endpoint == Endpoint::begin) {
        acquire(op, t);
        return leave(t, routine_inside(Construct::set_nest_lock));
      }
      out_.add(t, EventType::enter, region_at(site));
      release(op, t);
      return out_.add(t, EventType::leave, region_at(site));
    }
    default:  // lock_init, lock_destroy
      out_.attribute(names_[Attribute::wait_id], r.b);
      if (r.kind == RecordKind::lock_init) {
        out_.attribute(names_[Attribute::mutex_implementation], r.a & 0xff);
        out_.attribute(names_[Attribute::mutex_hint], r.a >> 8);
      }
      return pass_at(t, region_at(site));
  }
}

}  // namespace tracer::translate
