// SPDX-License-Identifier: BSD-3-Clause
// Barriers, taskwait, taskgroup, reductions; worksharing; control_tool and the things of no duration.
#include <algorithm>
#include <utility>

#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

// A taskgroup's wait is reported at its last line, the waiting stands where its region does. A
// reduction comes without a position right after its loop.
std::uint64_t LocationTranslator::better_position(const RegionKey& key) const {
  const auto& open = current_->open;
  if (key.wait && !open.empty() && open.back().construct == key.construct) return open.back().codeptr;
  if (key.construct == Construct::reduction && key.codeptr == 0) return loop_codeptr_;
  return key.codeptr;
}

// GCC's code does not tell the end of `single`. A barrier and another worksharing construct cannot be inside of it.
void LocationTranslator::end_single(Nanoseconds t) {
  const auto& open = current_->open;
  if (open.empty() || open.back().construct != Construct::single_sblock) [[likely]]
    return;
  leave(t, Construct::single_sblock);
  leave(t, Construct::single);
}

void LocationTranslator::sync(const Record& r, Nanoseconds t) {
  Site& site = site_of(r);
  switch (r.endpoint) {
    case Endpoint::begin:
      if (is_barrier(site.key.construct)) end_single(t);
      if (const std::uint64_t position = better_position(site.key); position != site.key.codeptr) [[unlikely]]
        return enter(t, {position, site.key.construct, site.key.wait, site.key.extra});
      enter_at(t, site);
      return entered(r, site);
    case Endpoint::begin_end:
      return pass_at(t, region_at(site));
    default:
      leave(t, site.key.construct, site.key.wait);
      return left(r, site.key.construct, site.key.wait);
  }
}

void LocationTranslator::work(const Record& r, Nanoseconds t) {
  Site& site = site_of(r);
  const RegionKey& key = site.key;
  const bool executor = r.sub == work_type::single_executor;
  if (r.endpoint == Endpoint::end) {
    const auto& open = current_->open;
    const Construct inner = open.empty() ? Construct::count_ : open.back().construct;
    if (inner == Construct::section || inner == Construct::loop_chunk ||
        (executor && inner == Construct::single_sblock))
      leave(t, inner);
    // Flang's `distribute` ends as a static loop (libomp to 22).
    if (key.construct == Construct::for_loop && inner == Construct::distribute) return leave(t, inner);
    return leave(t, key.construct);
  }
  if (is_outside_teams()) return note(Repair::worksharing_outside_teams);
  if (site.key.construct != Construct::taskloop) end_single(t);
  if (schedule_name(r.sub) || r.sub == work_type::distribute) loop_codeptr_ = r.c;
  if (r.sub == work_type::sections) sections_codeptr_ = r.c;
  enter_at(t, site);
  if (schedule_name(r.sub)) {
    out_.add(t, EventType::parameter_string, names_[Parameter::schedule], names_.schedules[r.sub]);
    out_.add(t, EventType::parameter_uint, names_[Parameter::iterations], r.b);
  }
  if (executor) enter(t, {r.c, Construct::single_sblock, false, 0});
  if (r.endpoint == Endpoint::begin_end) {
    if (executor) leave(t, Construct::single_sblock);
    leave(t, key.construct);
  }
}

void LocationTranslator::dispatch(const Record& r, Nanoseconds t) {
  const auto& open = current_->open;
  const Construct inner = open.empty() ? Construct::count_ : open.back().construct;
  const auto chunk = [&] {
    out_.add(t, EventType::parameter_uint, names_[Parameter::first_iteration], r.b);
    out_.add(t, EventType::parameter_uint, names_[Parameter::chunk_size], r.c);
  };
  if (r.sub == dispatch_kind::section) {
    // libomp (17 on) says this once to every thread of a statically scheduled `sections`, whether it has
    // a section to execute or not, with the address of the construct instead of a section's.
    if (r.b == sections_codeptr_) return;
    if (std::none_of(open.begin(), open.end(), [](const Open& o) { return o.construct == Construct::sections; }))
      return note(Repair::section_outside_sections);
    if (inner == Construct::section) leave(t, inner);
    enter(t, {r.b, Construct::section, false, 0});
  } else if (r.sub == dispatch_kind::loop_chunk || r.sub == dispatch_kind::distribute_chunk) {
    if (inner == Construct::loop_chunk) leave(t, inner);
    enter(t, {loop_codeptr_, Construct::loop_chunk, false, 0});
    chunk();
  } else if (r.sub == dispatch_kind::taskloop_chunk && inner == Construct::task) {
    chunk();
  }
}

void LocationTranslator::control_tool(const Record& r, Nanoseconds t) {
  switch (r.b) {
    case control_command::start:
    case control_command::pause:
    case control_command::flush:
    case control_command::end:
      return;
    case command_begin_phase:
      return enter(t, {r.a, Construct::phase, false, 0});
    case command_end_phase:
      return leave(t, Construct::phase);
    default:
      out_.attribute(names_[Attribute::control_command], r.b);
      out_.attribute(names_[Attribute::control_modifier], r.sub);
      return pass(t, region_key(r));
  }
}

// A region that cannot have the threads it asked for (num_threads(strict: n)) says so after its fork: that stands in
// the region.
void LocationTranslator::write_errors(Nanoseconds t) {
  for (const Record& r : std::exchange(errors_, {})) marks(r, t);
}

void LocationTranslator::marks(const Record& r, Nanoseconds t) {
  if (r.kind == RecordKind::error && is_outside_forked_team()) return errors_.push_back(r);
  switch (r.kind) {
    case RecordKind::cancel:
      out_.attribute(names_[Attribute::task_id], r.b);
      out_.attribute(names_[Attribute::cancel_flags], r.a);
      pass(t, region_key(r));
      if (r.a & cancel_flag::discarded_task) discard(r.b, r.time, t);
      return;
    case RecordKind::error: {
      out_.attribute(names_[Attribute::severity], r.sub);
      const auto text = names_.messages.find(r.a);
      if (text != names_.messages.end()) out_.attribute(names_[Attribute::message], text->second);
      break;
    }
    case RecordKind::task_dependence:
      out_.attribute(names_[Attribute::source_task_id], r.b);
      out_.attribute(names_[Attribute::sink_task_id], r.c != no_id ? r.c : waiting_);
      break;
    case RecordKind::lost:
      note(Repair::events_lost);
      out_.attribute(names_[Attribute::lost_events], r.b);
      out_.add(clock_(r.c), EventType::enter, region_of(region_key(r)));
      return out_.add(t, EventType::leave, region_of(region_key(r)));
    default:
      break;
  }
  pass(t, region_key(r));
}

}  // namespace tracer::translate
