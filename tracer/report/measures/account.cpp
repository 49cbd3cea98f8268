// SPDX-License-Identifier: BSD-3-Clause
// Charges each interval of each thread to a place while the trace is replayed.
#include "tracer/report/measures/account.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/attributes.hpp"
#include "tracer/replay/team_barrier.hpp"
#include "tracer/virtual_location.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

namespace tracer::report {
namespace {

/// What a callback takes a thread, its record with it: 5 to 16 ns (docs/performance.md).
constexpr std::uint64_t callback_ns = 10;

bool is_wait_for_tasks(Directive construct) {
  return construct == Directive::task_wait || construct == Directive::task_group;
}

/// Of an implicit task, with so many frames around it. The runtime reports a wait and the waiting in it.
bool is_own_wait(const Task& task, std::size_t around, Directive construct, const std::vector<RegionClass>& classes) {
  if (task.is_explicit || !is_wait_for_tasks(construct)) return false;
  return around == 0 || !is_wait_for_tasks(classes[task.stack[around - 1].region].construct);
}

/// Of what is around it: a chunk, a function, a range, what a library does there (malloc).
bool is_part_of_work(const Region& region, Directive construct) {
  if (region.role == RegionRole::code || region.role == RegionRole::function) return true;
  return construct == Directive::other && !has_openmp_roles(region.paradigm) && region.role != RegionRole::artificial;
}

}  // namespace

Accountant::Accountant(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions}, replay_{replay} {
  states_.resize(definitions.locations.size());
  is_ours_ = find_property(definitions.properties, properties::version) != nullptr;
  std::map<std::uint32_t, std::uint32_t> known;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const Location& location = definitions.locations[i];
    if (location.kind != LocationKind::cpu_thread || !is_shown(location)) continue;
    const auto [process, is_first] = known.emplace(location.group, static_cast<std::uint32_t>(processes_.size()));
    if (is_first) {
      processes_.emplace_back().group = location.group;
      processes_.back().first = static_cast<LocationRef>(i);
    }
    State& state = states_[i];
    state.process = process->second;
    state.counted = true;
    state.initial = is_first;
    // Threads that the program itself made were not there before their first event; workers would have been of use.
    state.worker = !is_first && !is_initial_thread(location) && !(is_ours_ && never_met_openmp(location));
  }
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (const auto found = known.find(definitions.locations[i].group); found != known.end())
      states_[i].process = found->second;
  for (Process& process : processes_) {
    if (process.group < definitions.groups_of_locations.size())
      process.facts = run_facts(definitions.groups_of_locations[process.group].properties);
    if (!process.facts.known && processes_.size() == 1) process.facts = run_facts(definitions);
    const RunFacts& facts = process.facts;
    process.ends_workers = std::any_of(facts.runtimes.begin(), facts.runtimes.end(), is_libgomp);
    process.begin = processes_.size() == 1 ? std::max(definitions.clock.offset, definitions.part_begin) : 0;
    if (facts.start != 0 && (process.begin == 0 || facts.start <= process.begin)) process.begin = facts.start;
  }
  work_by_region_.resize(definitions.regions.size() + 1);
  tasks_in_.resize(definitions.regions.size() + 1);
  for (std::size_t i = 0; i < definitions.regions.size(); ++i) {
    const std::string_view label{replay.classes()[i].label};
    if (!label.starts_with("doacross")) continue;
    doacross_.resize(definitions.regions.size());
    doacross_[i] = label.starts_with("doacross source") ? DoacrossMark::source : DoacrossMark::sink;
  }
  schedule_ = find_parameter(definitions, "schedule");
  iterations_ = find_parameter(definitions, "iterations");
  chunks_ = find_parameter(definitions, "chunks");
  task_id_ = find_attribute(definitions, "TASK_ID");
  for (const RegionClass& region : replay.classes()) has_events_ |= region.construct == Directive::fulfill_event;
}

AccountRow& Accountant::detail(Place place, Place of, RegionRef region, RegionRef cause, RegionRef parallel) {
  AccountRow& row =
      details_[{static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(of), region, cause, parallel}];
  row.place = place;
  row.of = of;
  row.region = region;
  row.cause = cause;
  row.parallel = parallel;
  return row;
}

void Accountant::add_detail(Place place, RegionRef region, RegionRef cause, RegionRef parallel, std::uint64_t ns,
                            std::uint64_t at, std::uint32_t threads) {
  if (ns == 0) return;
  AccountRow& row = detail(place, region, cause, parallel);
  row.ns += ns;
  ++row.count;
  row.threads = std::max(row.threads, threads);
  if (ns > row.longest) {
    row.longest = ns;
    row.longest_at = at;
  }
}

RegionRef Accountant::parallel_of(const State& state) const {
  return state.members.empty() ? undefined_ref : state.members.back().team->region;
}

/// The integrals of what the location takes part in, at its last event: what is between two events follows from them.
void Accountant::refresh(State& state, std::uint64_t time) {
  state.teams_now = process_of(state).active.value(time);
  state.mpi_now = process_of(state).in_mpi.value(time);
  state.device_now = process_of(state).in_device.value(time);
  state.paused_now = process_of(state).paused.value(time);
  if (state.members.empty()) return;
  Member& member = state.members.back();
  const TeamState& team = *member.shared;
  member.queued_from = team.queued.value(time);
  member.busy_from = team.busy.value(time);
  member.at_work_from = team.at_work.value(time);
  member.in_tasks_from = team.in_tasks.value(time);
}

void Accountant::event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  if (has_events_ && event.type == EventType::enter && event.ref < replay_.classes().size() &&
      replay_.classes()[event.ref].construct == Directive::fulfill_event)
    fulfilled(location, event.time, attribute_value(attributes, task_id_));
  State& state = states_[location];
  if (!state.counted) return;
  now_ = event.time;
  Process& process = process_of(state);
  if (!state.seen) {
    state.seen = true;
    state.first = event.time;
    // The first event of a process whose begin is not recorded, or by the kernel a tick too late.
    if (process.begin == 0 || event.time < process.begin) process.begin = event.time;
    if (process.last == 0 && replay_.is_confined()) process.go_beyond(true, process.begin);
    const std::uint64_t before = event.time - std::min(process.begin, event.time);
    state.replaces = state.worker && !process.ended_workers.empty();
    State* const ended = state.replaces ? &states_[process.ended_workers.back()] : nullptr;
    if (state.replaces) process.ended_workers.pop_back();
    if (ended != nullptr && ended->idle) {
      replace(*ended, state);
    } else if (state.worker && !state.replaces) {
      state.idle = Idle{.from = std::min(process.begin, event.time)};
    } else {
      charge(state, state.initial ? Place::serial : Place::absent, before - process.beyond.value(event.time));
    }
  }
  process.last = std::max(process.last, event.time);
  refresh(state, event.time);
  if (is_ours_) state.tool_until = std::max(state.tool_until, event.time + callback_ns);
  switch (event.type) {
    case EventType::thread_fork:
      state.forking = true;
      state.teams_at_fork.push_back(process.active.value(event.time));
      if (state.members.empty()) {
        end_stretch(process, event.time);
        process.count_teams(1, event.time);
      }
      break;
    case EventType::thread_join:
      state.joining = false;
      if (state.members.empty() && !state.helper)
        add_detail(Place::team, process.serial_after, undefined_ref, process.serial_after, state.team_ns, event.time,
                   0);
      state.team_ns = 0;
      if (!state.teams_at_fork.empty()) state.teams_at_fork.pop_back();
      if (state.members.empty() && !state.helper) {
        process.count_teams(-1, event.time);
        process.begin_serial(event.time);
      }
      break;
    case EventType::measurement_on_off:
    case EventType::program_end:  // also of one that ends while recording is off
      switch_recording(state, event.type == EventType::program_end || event.a != 0, event.time);
      break;
    case EventType::buffer_flush:
      state.tool_until = std::max(state.tool_until, event.a);
      break;
    case EventType::parameter_string:
      if (event.ref == schedule_ && event.a < definitions_.strings.size()) {
        const auto& stack = replay_.location(location).current->stack;
        if (!stack.empty()) loops_[stack.back().region].schedules.insert(definitions_.strings[event.a]);
      }
      break;
    case EventType::parameter_uint:
      if (event.ref == iterations_ || event.ref == chunks_) {
        const LocationState& where = replay_.location(location);
        const auto& stack = where.current->stack;
        if (stack.empty()) break;
        LoopFacts& loop = loops_[stack.back().region];
        if (event.ref == chunks_) {
          loop.chunks += event.a;
          break;
        }
        loop.iterations = std::max(loop.iterations, event.a);
        // The same for each thread of a team.
        if (where.contexts.empty() || where.contexts.back().team->master == location) loop.all_iterations += event.a;
      }
      break;
    default:
      break;
  }
  if (event.type == EventType::acquire_lock || event.type == EventType::release_lock) lock(location, state, event);
  if (event.type == EventType::enter && event.ref < doacross_.size() && doacross_[event.ref] != DoacrossMark::none)
    doacross(state, *replay_.location(location).current, event, attributes);
}

/// The innermost region; of what is part of a loop's or sections' work, those. Not so in a recursion that is deeper
/// than this: each of its events would look at all of it.
RegionRef Accountant::region_of_work(const Task& task) const {
  std::size_t left = 1024;
  for (auto frame = task.stack.rbegin(); frame != task.stack.rend() && left-- != 0; ++frame) {
    const Directive construct = replay_.classes()[frame->region].construct;
    if (is_shared(construct)) return frame->region;
    if (!is_part_of_work(definitions_.regions[frame->region], construct)) break;
  }
  return task.stack.empty() ? task.region : task.stack.back().region;
}

void Accountant::work(State& state, Task& task, std::uint64_t ns) {
  if (task.is_explicit) {
    task_work_ += ns;
    tasks_beside(task).work += ns;
  }
  if (state.members.empty()) return;
  Member& member = state.members.back();
  RegionRef region = region_of_work(task);
  if (region == undefined_ref) region = member.team->region;
  if (task.is_explicit && task.region != undefined_ref) region = task.region;
  member.spent.add(region, ns);
}

/// What was charged as work at `region`, and was none.
void Accountant::take_from_work(Member& member, RegionRef region, std::uint64_t ns) {
  std::uint64_t& of_region = work_by_region_[parallel_index(*member.team)];
  of_region -= std::min(of_region, ns);
  if (std::uint64_t* const sum = member.spent.find(region)) *sum -= std::min(*sum, ns);
}

void Accountant::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  State& state = states_[location];
  if (!state.counted || state.helper) return;
  if (state.tool_until > from) {
    if (state.idle) end_idle(state, from, state.teams_now);
    const std::uint64_t until = std::min(to, state.tool_until);
    charge(state, Place::tool, until - from);
    from = until;
  }
  const std::uint64_t ns = to - from;
  if (ns == 0) return;
  const bool outside = state.members.empty();
  if (outside && state.worker && activity == Activity::idle) {
    if (!state.idle)  // no time passes within an observer's call
      state.idle = Idle{
          from, state.teams_now, state.mpi_now, state.device_now, process_of(state).beyond.value(to), state.paused_now};
    return;
  }
  if (state.idle) end_idle(state, from, state.teams_now);
  if (activity == Activity::work || activity == Activity::idle) {
    if (state.forking || state.joining) {
      state.team_ns += ns;
      return charge(state, Place::team, ns);
    }
    if (outside) return charge(state, Place::serial, ns);
    work(state, task, ns);
    work_by_region_[parallel_index(*state.members.back().team)] += ns;
    state.worked_from = from;
    state.worked_until = to;
    return charge(state, Place::work, ns);
  }
  switch (activity) {
    case Activity::barrier:
    case Activity::task_wait:
      if (outside) return charge(state, Place::serial, ns);
      return wait_for_others(location, state, state.members.back(), task, activity, from, to);
    case Activity::lock_wait:
      return lock_wait(state, task, ns, to);
    case Activity::runtime: {
      const Directive construct = replay_.classes()[task.stack.back().region].construct;
      const bool tasks = construct == Directive::task_create || construct == Directive::task_dependence;
      if (!tasks && !outside)
        add_detail(Place::team, task.stack.back().region, undefined_ref, parallel_of(state), ns, to, 1);
      if (tasks) state.creating += ns;
      return charge(state, tasks ? Place::tasking : outside ? Place::serial : Place::team, ns);
    }
    case Activity::device:
      return device_wait(state, task, ns, to);
    case Activity::mpi: {
      const RegionRef region = task.stack.back().region;
      if (!outside) state.members.back().spent.add(region, ns);
      add_detail(Place::mpi, region, undefined_ref, parallel_of(state), ns, to, 1);
      return charge(state, Place::mpi, ns);
    }
    default:
      return charge(state, Place::unknown, ns);
  }
}

/// A phase may be recorded on locations that are no threads of ours.
void Accountant::follow_phases(LocationRef location, std::uint64_t time) {
  if (processes_.empty()) return;
  Process& process = process_of(states_[location]);
  const bool is_beyond = !replay_.is_within(location);
  if (is_beyond == process.is_beyond) return;
  if (is_beyond)
    end_stretch(process, time);
  else
    process.begin_serial(time);
  process.go_beyond(is_beyond, time);
}

void Accountant::enter(LocationRef location, Task& task, const Frame& frame) {
  State& state = states_[location];
  if (replay_.is_confined()) follow_phases(location, frame.enter);
  if (!state.counted) return;
  follow_waiting(state, task, frame.enter);
  count_serial_call(state, frame, 1, frame.enter);
  const RegionClass& region = replay_.classes()[frame.region];
  if (region.construct == Directive::parallel && !state.members.empty() && !state.helper &&
      state.members.back().team->helps)
    take_out_helper(state, *state.members.back().team);
  if (region.construct == Directive::parallel && state.members.size() == 1) {
    Process& process = process_of(state);
    close_gap(process, frame.region);
    process.serial_after = frame.region;
    if (!process.stretches.empty() && process.stretches.back().before == undefined_ref)
      process.stretches.back().before = frame.region;
  }
  if (region.construct == Directive::task_create || region.construct == Directive::task_wait) {
    if (state.created_at != 0 && frame.enter >= state.created_at) {
      const std::uint64_t gap = frame.enter - state.created_at;
      const auto bits = static_cast<std::size_t>(std::bit_width(gap));
      const std::size_t part = bits > 2 ? (gap >> (bits - 3)) & 3 : 0;
      ++gaps_[std::min<std::size_t>(bits * 4 + part, gaps_.size() - 1)];
    }
  }
  state.created_at = 0;
  if (is_own_wait(task, task.stack.size() - 1, region.construct, replay_.classes())) {
    ++tasks_beside(task).own_waits[frame.region];
    if (TeamState* const team = open_team_of(task)) team->most_waiters = std::max(team->most_waiters, ++team->waiters);
  }
  if (region.construct == Directive::lock) {
    end_lock_wait(state);
    state.waits_for_lock = true;
    state.lock_from = state.lock_ns = 0;
    ++process_of(state).lock_waiters;
  }
  if (state.members.empty() || !is_team_barrier(task, region.construct, replay_.classes())) return;
  Member& member = state.members.back();
  if (!member.waiting) arrive(member, frame.region, frame.enter);
}

void Accountant::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  State& state = states_[location];
  if (replay_.is_confined()) follow_phases(location, time);
  if (!state.counted) return;
  follow_waiting(state, task, time);
  const Directive construct = replay_.classes()[frame.region].construct;
  count_serial_call(state, frame, -1, time);
  if (is_serial_mpi(state, frame)) process_of(state).mpi_regions[frame.region] += time - frame.enter;
  state.created_at = construct == Directive::task_create ? time : 0;
  if (construct == Directive::lock) end_lock_wait(state);
  if (is_own_wait(task, task.stack.size(), construct, replay_.classes()))
    if (TeamState* const team = open_team_of(task); team != nullptr && team->waiters != 0) --team->waiters;
  if (state.members.empty() || !is_team_barrier(task, construct, replay_.classes())) return;
  if (!task.stack.empty() && is_barrier(replay_.classes()[task.stack.back().region].construct)) return;
  Member& member = state.members.back();
  if (!member.waiting) return;
  member.waiting = false;
  member.spent.clear();
  member.created_at = 0;
  TeamState& team = *member.shared;
  const auto found = team.episodes.find(member.number++);
  if (found == team.episodes.end()) return;
  if (++found->second.left < member.team->size) return;
  finish_episode(*member.team, found->second, time);
  team.episodes.erase(found);
}

}  // namespace tracer::report
