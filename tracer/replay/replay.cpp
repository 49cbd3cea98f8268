// SPDX-License-Identifier: BSD-3-Clause
// The state behind a trace: frames, tasks and teams of each location, charged with time as it passes.
#include "tracer/replay/replay.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

#include "tracer/replay/attributes.hpp"
#include "tracer/replay/kept_phases.hpp"
#include "tracer/replay/process_groups.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {
namespace {

constexpr std::uint64_t events_between_looks = 1 << 18;

/// The frame is what it was until the next one begins: a copy would wait for the numbers that have just been added to.
const Frame& pop_frame(Task& task) {
  Frame& frame = task.stack.pop();
  frame.active += frame.exclusive;
  if (!task.stack.empty()) {
    Frame& outer = task.stack.back();
    outer.active += frame.active;
    outer.in_teams += frame.in_teams;
  }
  return frame;
}

}  // namespace

Replay::Replay(const Definitions& definitions)
    : definitions_{definitions},
      classes_{classify(definitions)},
      process_{processes_of_locations(definitions)},
      last_of_(definitions.groups_of_locations.size() + 1),
      members_{definitions},
      is_phase_{phases_kept(definitions)},
      is_confined_{!is_phase_.empty()},
      open_phases_(definitions.groups_of_locations.size() + 1),
      locations_of_(is_confined_ ? open_phases_.size() : 0),
      task_id_{find_attribute(definitions, "TASK_ID")},
      task_flags_{find_attribute(definitions, "TASK_FLAGS")},
      source_id_{find_attribute(definitions, "SOURCE_TASK_ID")},
      sink_id_{find_attribute(definitions, "SINK_TASK_ID")},
      cancel_flags_{find_attribute(definitions, "CANCEL_FLAGS")},
      device_{find_attribute(definitions, "DEVICE")},
      declared_{definitions} {
  for (const RegionClass& region : classes_) {
    has_dependences_ |= region.construct == Directive::task_dependence;
    needs_ids_ |= region.construct == Directive::cancel;
  }
  needs_ids_ |= has_dependences_;
  locations_.resize(definitions.locations.size());
  is_first_.resize(locations_.size());
  std::vector<bool> seen(definitions.groups_of_locations.size() + 1);
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    if (is_confined_) locations_of_[process_[i]].push_back(static_cast<LocationRef>(i));
    // What is no thread is none of the program's threads' work either.
    const Location& location = definitions.locations[i];
    locations_[i].kind = is_virtual(location) ? LocationKind::accelerator_stream : location.kind;
    locations_[i].root = pool_.make();
    locations_[i].root->location = static_cast<LocationRef>(i);
    locations_[i].current = locations_[i].root;
    if (location.kind != LocationKind::cpu_thread || !is_shown(location) || location.group >= seen.size()) continue;
    is_first_[i] = !seen[location.group];
    seen[location.group] = true;
    if (const std::uint64_t end = thread_end(location); end != 0) ends_.emplace_back(end, static_cast<LocationRef>(i));
  }
  std::sort(ends_.begin(), ends_.end(), std::greater<>{});
  if (!ends_.empty()) next_end_ = ends_.back().first;
}

/// In the order of time, so that observers have seen what others did before.
void Replay::end_threads(std::uint64_t until) {
  while (next_end_ <= until) {
    const auto [time, ref] = ends_.back();
    ends_.pop_back();
    next_end_ = ends_.empty() ? ~std::uint64_t{0} : ends_.back().first;
    LocationState& location = locations_[ref];
    if (location.begun && location.last < time) charge(ref, location, time);
    location.ended = time;
    for (Observer* observer : observers_.thread_ended) observer->thread_ended(ref, time);
  }
}

std::uint64_t Replay::end_of(LocationRef ref) const {
  const LocationState& location = locations_[ref];
  return location.ended == 0 ? last_of(ref) : std::max(location.ended, location.last);
}

void Replay::pass_on_not_recorded(LocationRef ref, std::uint64_t from, std::uint64_t to) {
  for (Observer* observer : observers_.not_recorded) observer->not_recorded(ref, from, to);
}

/// What every event, or nearly every one, goes through is inlined: it is a fourth of what reading a trace takes.
[[gnu::always_inline]] inline void Replay::charge(LocationRef ref, LocationState& location, std::uint64_t time) {
  const std::uint64_t from = location.last;
  if (!location.begun || time <= from) {
    first_ = std::min(first_, time);
    irregular_ += time < from ? 1 : 0;
    location.last = std::max(from, time);
    location.begun = true;
    return;
  }
  location.last = time;
  if (!is_within(ref)) return;
  if (location.off) [[unlikely]]
    return pass_on_not_recorded(ref, from, time);
  const Activity activity = location.activity();
  Task& task = *location.current;
  const std::uint64_t ns = time - from;
  location.charged += ns;
  if (!task.stack.empty()) {
    Frame& frame = task.stack.back();
    frame.exclusive += ns;
    if (is_waiting(activity)) frame.waiting += ns;
  }
  if (task.is_explicit) {
    task.active += ns;
    if (is_waiting(activity)) task.waited += ns;
  }
  for (Observer* observer : observers_.interval) observer->interval(ref, task, activity, from, time);
}

/// A phase begins or ends: what all threads of the process do until then is inside or outside of it.
void Replay::charge_process(std::uint32_t process, std::uint64_t time) {
  for (const LocationRef ref : locations_of_[process]) {
    LocationState& location = locations_[ref];
    if (location.begun && location.ended == 0 && location.last < time) charge(ref, location, time);
  }
}

[[gnu::always_inline]] inline void Replay::do_enter(LocationRef ref, LocationState& location, const Event& event,
                                                    std::span<const EventAttribute> attributes) {
  if (event.ref >= classes_.size()) {
    ++irregular_;
    return;
  }
  const RegionClass& region = classes_[event.ref];
  Task& task = *location.current;
  Activity activity = region.activity;
  if (location.kind == LocationKind::accelerator_stream) activity = Activity::work;
  // Where there is no device the host runs target regions itself.
  if (region.construct == Directive::target && static_cast<std::int64_t>(attribute_value(attributes, device_)) < 0)
    activity = Activity::work;
  Frame& frame = task.stack.push();
  frame.region = event.ref;
  frame.activity = activity;
  frame.enter = event.time;
  frame.exclusive = frame.active = frame.waiting = frame.in_teams = 0;
  frame.number = ++enters_;
  frame.location = ref;
  if (task.is_explicit && task.region == undefined_ref && region.construct == Directive::task) task.region = event.ref;
  if (region.construct == Directive::parallel && !location.contexts.empty() &&
      location.contexts.back().team->region == undefined_ref) {
    location.contexts.back().team->region = event.ref;
    look_for_helpers(*location.contexts.back().team, region);
  }
  if (!task.is_explicit && task.team != nullptr && task.team->helps) frame.activity = Activity::idle;
  if (region.construct == Directive::task_dependence) dependence(ref, attributes);
  if (region.construct == Directive::cancel) cancel(ref, attributes);
  for (Observer* observer : observers_.enter) observer->enter(ref, task, frame);
}

bool Replay::is_open(const Task& task, RegionRef region) {
  const auto is_it = [region](const Frame& frame) { return frame.region == region; };
  if (std::any_of(task.stack.rbegin(), task.stack.rend(), is_it)) return true;
  in_vain_.add(task.stack.size());
  return false;
}

[[gnu::always_inline]] inline void Replay::do_leave(LocationRef ref, LocationState& location, const Event& event) {
  Task& task = *location.current;
  if (task.stack.empty() || task.stack.back().region != event.ref) {
    ++irregular_;
    if (!is_open(task, event.ref)) return;
  }
  while (!task.stack.empty()) {
    const Frame& frame = pop_frame(task);
    for (Observer* observer : observers_.leave) observer->leave(ref, task, frame, event.time);
    if (frame.region == event.ref) break;
  }
}

void Replay::event(LocationRef ref, const Event& event, std::span<const EventAttribute> attributes) {
  if (count(ref, 1)) step(ref, locations_[ref], event, attributes);
}

void Replay::events(LocationRef ref, std::span<const Event> events, std::span<const EventAttribute> attributes) {
  if (!count(ref, events.size())) return;
  LocationState& location = locations_[ref];
  for (const Event& event : events) {
    step(ref, location, event, attributes.first(event.attributes));
    attributes = attributes.subspan(event.attributes);
  }
}

/// False: there is no such location, and they are left out.
bool Replay::count(LocationRef ref, std::size_t events) {
  if (ref >= locations_.size()) [[unlikely]] {
    irregular_ += events;
    return false;
  }
  const std::uint64_t looks = events_ / events_between_looks;
  events_ += events;
  if (events_ / events_between_looks != looks) [[unlikely]]
    for (Observer* observer : observers_.events_so_far) observer->events_so_far(events_);
  return true;
}

[[gnu::always_inline]] inline void Replay::step(LocationRef ref, LocationState& location, const Event& event,
                                                std::span<const EventAttribute> attributes) {
  if (next_end_ < event.time) [[unlikely]]
    end_threads(event.time - 1);
  charge(ref, location, event.time);
  const bool is_edge = event.type == EventType::enter || event.type == EventType::leave;  // of a region
  const bool is_limit = is_edge && is_confined() && event.ref < is_phase_.size() && is_phase_[event.ref];
  if (is_limit) charge_process(process_[ref], event.time);
  for (Observer* observer : observers_.event) observer->event(ref, event, attributes);
  if (!is_edge || !attributes.empty())
    for (Observer* observer : observers_.other_event) observer->other_event(ref, event, attributes);
  switch (event.type) {
    case EventType::program_begin:
      location.initial = true;
      break;
    case EventType::program_end:
      location.initial = false;
      break;
    case EventType::measurement_on_off:
      location.off = event.a == 0;
      break;
    case EventType::enter:
      if (is_limit) ++open_phases_[process_[ref]];
      do_enter(ref, location, event, attributes);
      break;
    case EventType::leave:
      if (is_limit && open_phases_[process_[ref]] != 0) --open_phases_[process_[ref]];
      do_leave(ref, location, event);
      break;
    case EventType::thread_fork:
      location.forks.emplace_back(event.time, location.current);
      break;
    case EventType::thread_join:
      do_join(location);
      break;
    case EventType::team_begin:
      do_team_begin(ref, location, event);
      break;
    case EventType::team_end:
      do_team_end(ref, location, event.time);
      break;
    case EventType::task_create:
      do_task_create(ref, location, event, attributes);
      break;
    case EventType::task_switch:
      do_task_switch(ref, location, event);
      break;
    case EventType::task_complete:
      do_task_complete(ref, location, event);
      break;
    case EventType::acquire_lock:
      if (!location.current->stack.empty() && location.current->stack.back().activity == Activity::lock_wait) {
        location.current->stack.back().activity = Activity::work;
      }
      break;
    default:
      break;
  }
}

/// What the task has open at the end of the trace.
void Replay::leave_all(LocationRef ref, Task& task, std::uint64_t time) {
  while (!task.stack.empty()) {
    const Frame& frame = pop_frame(task);
    for (Observer* observer : observers_.leave) observer->leave(ref, task, frame, time);
    ++irregular_;
  }
}

void Replay::finish() {
  for (LocationRef ref = 0; ref < locations_.size(); ++ref) {
    std::uint64_t& last = last_of_[process_[ref]];
    last = std::max(last, locations_[ref].last);
    last_ = std::max(last_, last);
  }
  end_threads(last_);
  for (LocationRef ref = 0; ref < locations_.size(); ++ref) {
    LocationState& location = locations_[ref];
    const std::uint64_t last = end_of(ref);
    if (location.begun) charge(ref, location, last);
    leave_all(ref, *location.current, last);
    for (auto context = location.contexts.rbegin(); context != location.contexts.rend(); ++context) {
      leave_all(ref, *context->implicit, last);
      credit_maker(ref, location, *context);
      if (Task* const maker = maker_on(ref, *context->team)) leave_all(ref, *maker, last);
    }
    leave_all(ref, *location.root, last);
  }
  const std::vector<Task*> suspended = open_tasks();
  for (auto task = suspended.rbegin(); task != suspended.rend(); ++task)
    leave_all((*task)->location, **task, last_of((*task)->location));
  while (!teams_.empty()) {
    Team& team = *teams_.begin()->second;
    end_team(team, team.master < locations_.size() ? last_of(team.master) : last_);
  }
  for (Observer* observer : observers_.finished) observer->finished(last_);
}

}  // namespace tracer::report
