// SPDX-License-Identifier: BSD-3-Clause
// See location_translator.hpp.
#include "tracer/translate/write/location_translator.hpp"

#include <algorithm>
#include <utility>

namespace tracer::translate {
namespace {

/// So often what the tables have of the time before is taken out of memory.
constexpr std::size_t records_between_releases = 1 << 17;

}  // namespace

LocationTranslator::LocationTranslator(const Tables& tables, const Journal& journal, const Vocabulary& vocabulary,
                                       const ClockFit& clock, ChannelId channel, LocationWriter& writer)
    : context_(tables, journal, vocabulary, clock, channel, writer),
      events_(context_),
      is_first_(tables.location_of[channel] == 0) {}

Ticks LocationTranslator::next_due() const noexcept {
  const bool waits =
      !waits_.empty() || events_.creation.is_pending() || events_.locks.is_pending() || events_.targets.awaits_more();
  if (waits || context_.out.paused()) return 0;
  return std::min({events_.course.next_due(), next_release(), next_toggle()});
}

Ticks LocationTranslator::next_release() const noexcept {
  const ImpliedRelease* const implied = events_.locks.course().next_implied();
  return implied != nullptr ? implied->time : never;
}

Ticks LocationTranslator::next_toggle() const noexcept {
  const auto& toggles = context_.tables.toggles;
  return next_toggle_ < toggles.size() ? toggles[next_toggle_].time : never;
}

// Behind a wait may come records that are older: all records of the end of an MPI call have the time at which it
// returned. Nor may the wait come between a task's creation and its dependences, or between a fork and its team.
void LocationTranslator::record(const Record& r) {
  if (r.kind == RecordKind::ring_wait) {
    waits_.push_back(r);
    due_ = 0;
    return;
  }
  if (waits_.empty()) [[likely]]
    return translate(r);
  if (r.kind != RecordKind::dependences) {
    if (events_.creation.is_pending()) events_.creation.write();
    if (events_.locks.is_pending()) events_.locks.resolve(r);
    if (r.time >= waits_.front().time) write_waits();
  }
  translate(r);
  if (!waits_.empty() && r.time >= waits_.front().time && !events_.creation.is_pending() && !events_.locks.is_pending())
    write_waits();
  due_ = next_due();
}

void LocationTranslator::write_waits() {
  if (waits_.empty() || events_.nest.is_outside_forked_team() || events_.targets.awaits_more()) return;
  if (waits_.front().time > events_.course.limit())
    return;  // its team is over by then: the thread's late end of that comes first
  for (const Record& wait : waits_) {
    const Nanoseconds begin = not_before_last(wait.c != 0 ? wait.c : wait.time);
    context_.out.add(begin, EventType::buffer_flush, 0, std::max(context_.clock(wait.b), begin));
  }
  waits_.clear();
}

void LocationTranslator::translate(const Record& r) {
  if (r.time < due_ && RecordEvents::only_regions(r.kind)) [[likely]] {
    if (const Site* site = events_.write(r, context_.clock(r.time))) fast_.learn(r, *site);
    return;
  }
  if (r.kind == RecordKind::more) {
    if (const Record first = events_.targets.take_first(); first.kind != RecordKind::invalid)
      events_.pair(first, r, context_.clock(events_.course.teams.due(first)));
  } else {
    const Ticks when = r.time < due_ ? r.time : do_due(r);
    // The master's time, unless this thread was still at the end of a task by then.
    const Nanoseconds t = when == r.time ? context_.clock(when) : not_before_last(when);
    if (events_.course.teams.is_at_boundary()) events_.course.teams.complete_boundary(r, t);
    if (const Site* site = events_.write(r, t)) fast_.learn(r, *site);
  }
  due_ = next_due();
}

Ticks LocationTranslator::do_due(const Record& r) {
  if (events_.creation.is_pending() && !events_.creation.may_have(r)) events_.creation.write();
  if (events_.locks.is_pending()) events_.locks.resolve(r);
  // A worker's late ends belong to the pause in which its region was, though they come after it.
  Ticks when = events_.course.time_of(r);
  if (when > events_.course.limit()) {
    pass_limits(when);
    when = events_.course.teams.due(r);
  }
  if (next_release() < when) release_implied(when, &r);
  if (next_toggle() <= when) toggle(when);
  events_.course.end_unreported(r, when);
  return when;
}

// One after the other, each with what was due before it.
void LocationTranslator::pass_limits(Ticks when) {
  Course& course = events_.course;
  while (course.limit() < when) {
    const Ticks last = course.limit();
    release_implied(last, nullptr);
    course.teams.complete_boundary(not_before_last(last));
    toggle(last);
    course.teams.end_by_limit(last);
  }
}

void LocationTranslator::toggle(Ticks until) {
  const auto& toggles = context_.tables.toggles;
  for (; next_toggle_ < toggles.size() && toggles[next_toggle_].time <= until; ++next_toggle_) {
    const Nanoseconds t = context_.clock(toggles[next_toggle_].time);
    toggles[next_toggle_].recording ? context_.out.resume(t) : context_.out.pause(t);
  }
}

// The release comes after the unlock: another thread may have the lock by then. The release writes the time of the
// unlock itself, if nothing else comes between.
bool LocationTranslator::is_last_before(Ticks time) const {
  const ImpliedRelease* const second = events_.locks.course().second_implied();
  const auto& toggles = context_.tables.toggles;
  const bool toggled = next_toggle_ < toggles.size() && toggles[next_toggle_].time <= time;
  return (second == nullptr || second->time >= time) && !toggled;
}

// Acquisitions whose release did not come in time: another thread has the lock, or the trace ends.
void LocationTranslator::release_implied(Ticks before, const Record* next) {
  LockCourse& locks = events_.locks.course();
  while (const ImpliedRelease* implied = locks.next_implied()) {
    if (before != never && implied->time >= before) return;
    if (!locks.is_after_acquisition(*implied)) {
      locks.skip_implied();
      continue;
    }
    if (before != never) toggle(implied->time);
    const auto due = [&] { return not_before_last(std::min(implied->time, context_.tables.end)); };
    events_.course.teams.complete_boundary(due());
    const bool is_recorded = next != nullptr && next->kind == RecordKind::mutex_released &&
                             locks.is_before_release(*implied) && is_last_before(before);
    if (is_recorded) {
      locks.skip_implied();
      continue;
    }
    events_.locks.write_implied(
        due(), before != never ? Repair::lock_released_by_next_acquisition : Repair::lock_released_at_end_of_trace);
  }
}

void LocationTranslator::begin() {
  if (!is_first_) return;
  events_.nest.kind = Nest::ThreadKind::root;
  context_.out.attribute(context_.names[Attribute::process_id], context_.journal.run.process_id);
  context_.out.add(context_.clock(context_.tables.begin), EventType::program_begin, 0, context_.names.program);
  context_.out.usage().string(context_.names.program);
}

LocationResult LocationTranslator::run(RecordReader& records) {
  begin();
  PositionMender positions(context_.tables.runtime, &context_.tables.channels[context_.channel].unplaced_loops);
  std::size_t since_release = 0;
  for (auto batch = records.next(); !batch.empty(); batch = records.next()) {
    if ((since_release += batch.size()) >= records_between_releases && context_.tables.spill != nullptr) {
      context_.tables.spill->release();
      since_release = 0;
    }
    for (std::size_t i = 0; i < batch.size();) {
      const std::size_t done = fast_.has_action(batch[i]) ? fast_.write(batch.subspan(i), due_, context_.clock,
                                                                        events_.nest.current->open, context_.out)
                                                          : 0;
      if (done == 0) positions.mend(batch[i], [this](const Record& mended) { record(mended); });
      i += std::max<std::size_t>(done, 1);
    }
  }
  finish();
  LocationResult result = result_of(context_.out);
  result.repairs = context_.repairs;
  result.balance = context_.balance;
  result.is_inside = was_inside_;
  return result;
}

bool LocationTranslator::has_ended() const noexcept {
  const auto& channels = context_.journal.channels;
  const Ticks ended = context_.channel < channels.size() ? channels[context_.channel].end : 0;
  return ended != 0 && ended < context_.tables.end && !is_first_;
}

/// Not where a limit has ended it: a worker whose last barrier has no end left it with its team. Ranges of
/// the program's own are no place where a thread hangs.
bool LocationTranslator::is_inside() const {
  const Nest& nest = events_.nest;
  const auto is_open = [](const RegionStack& open) {
    return !open.empty() && open.inner_construct() != Construct::range;
  };
  return !nest.forks.empty() || is_open(nest.current->open) ||
         std::any_of(nest.parts.begin(), nest.parts.end(), [&](const Part& part) {
           return (part.parallel != nullptr && part.parallel->size > 1) || is_open(part.task.open);
         });
}

/// When what is still open on the thread ends: with the thread. With the trace where it is in a team or has a lock,
/// which others would have to see end as well.
Ticks LocationTranslator::last_moment() const {
  const bool shares = !events_.nest.forks.empty() || events_.locks.course().next_implied() != nullptr ||
                      std::any_of(events_.nest.parts.begin(), events_.nest.parts.end(),
                                  [](const Part& part) { return part.parallel != nullptr && part.parallel->size > 1; });
  return has_ended() && !shares ? context_.journal.channels[context_.channel].end : context_.tables.end;
}

void LocationTranslator::finish() {
  if (events_.creation.is_pending()) events_.creation.write();
  if (events_.locks.is_pending()) events_.locks.resolve(Record{});
  write_waits();
  pass_limits(never);
  was_inside_ = is_inside();
  release_implied(never - 1, nullptr);
  const Ticks last = last_moment();
  toggle(last);
  Nanoseconds end = not_before_last(last);
  context_.out.resume(end);
  release_implied(never, nullptr);
  end = events_.course.end_all(end);
  write_waits();
  events_.course.end_outside(end);
  if (is_first_) context_.out.add(end, EventType::program_end, 0);
  context_.out.flush();
}

}  // namespace tracer::translate
