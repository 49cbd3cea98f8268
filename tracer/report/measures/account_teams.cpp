// SPDX-License-Identifier: BSD-3-Clause
// Teams: who is in them, who idles beside them, what their start takes, and what is serial between them.
#include <algorithm>
#include <optional>
#include <utility>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {

void Accountant::take_out_helper(State& state, const Team& team) {
  State& master = states_[team.master];
  helper_regions_.insert(team.region);
  const auto mark = [this](State& one) {
    if (!one.helper && !one.members.empty()) in_teams_ -= std::min<std::uint64_t>(in_teams_, 1);
    one.helper = true;
  };
  if (!master.helper) {
    Process& process = process_of(master);
    process.count_teams(-1, now_);
    process.begin_serial(now_);
  }
  mark(master);
  mark(state);
}

/// The process was serial until now. The region that follows the longest stretches is recorded when it begins.
void Accountant::end_stretch(Process& process, std::uint64_t time) {
  if (process.teams != 0 || process.is_beyond || time <= std::max(process.begin, process.serial_since)) return;
  auto& stretches = process.stretches;
  const std::size_t most = processes_.size() > 16 ? 4 : most_stretches;
  if (stretches.size() >= 2 * most) {
    std::nth_element(stretches.begin(), stretches.begin() + static_cast<std::ptrdiff_t>(most), stretches.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    stretches.resize(most);
  }
  const std::uint64_t from = process.serial_since == 0 ? process.begin : process.serial_since, whole = time - from;
  const std::uint64_t elsewhere = process.in_mpi.value(time) + process.in_device.value(time);
  const std::uint64_t waited = elsewhere - std::min(elsewhere, process.elsewhere);
  process.elsewhere = elsewhere;
  const std::uint64_t not_own = waited + process.paused.value(time) - process.paused_before;
  process.gap = {from, time, process.serial_after, undefined_ref, whole - std::min(whole, not_own)};
  stretches.push_back(*process.gap);
}

/// The serial stretch that ended last is before that region; undefined_ref: before the process' end.
void Accountant::close_gap(Process& process, RegionRef behind) {
  if (!process.gap) return;
  const SerialStretch last = *std::exchange(process.gap, std::nullopt);
  Gap& gap = process.gaps[{process.serial_after, behind}];
  gap.ns += last.ns;
  ++gap.count;
  if (last.ns > gap.longest) gap.longest = last.ns, gap.longest_at = last.from;
}

void Accountant::begin_idle(State& state, std::uint64_t time) {
  const Process& process = process_of(state);
  state.idle = {time,
                process.active.value(time),
                process.in_mpi.value(time),
                process.in_device.value(time),
                process.beyond.value(time),
                process.paused.value(time)};
}

/// The worker `state`, whose first event this is, takes the place of one that has ended, and with it what that idled
/// since then.
void Accountant::replace(State& ended, State& state) {
  const std::uint64_t begin = process_of(state).begin;
  charge(state, Place::absent, ended.idle->from - std::min(ended.idle->from, begin + ended.idle->beyond));
  state.idle = std::exchange(ended.idle, std::nullopt);
}

/// Nothing is known of a thread while recording is off. One that idles then goes on to do so: charge_idle() parts it.
void Accountant::switch_recording(State& state, bool on, std::uint64_t time) {
  Process& process = process_of(state);
  record_again(state, time);
  if (!on && !process.is_beyond) state.off_since = time;
  process.pause(!on, time);
}

void Accountant::record_again(State& state, std::uint64_t time) {
  const std::uint64_t from = std::exchange(state.off_since, 0);
  if (from != 0 && !state.idle) charge(state, Place::unknown, time - std::min(time, from));
}

/// What a thread idled: while recording was off, the process was serial, its thread in MPI or waiting for a device,
/// beside teams of others, and from a fork to its part in the team.
void Accountant::charge_idle(State& state, std::uint64_t team_begin, std::uint64_t teams_at_begin, std::uint64_t now,
                             TeamState* shared) {
  const Idle before = *std::exchange(state.idle, std::nullopt);
  const std::uint64_t until = std::max(before.from, std::min(team_begin, now));
  const std::uint64_t beyond = process_of(state).beyond.value(until);
  const std::uint64_t all = until - before.from;
  const std::uint64_t passed = all - std::min(all, beyond - std::min(beyond, before.beyond));
  const std::uint64_t off = process_of(state).paused.value(until);
  const std::uint64_t paused = std::min(passed, off - std::min(off, before.paused));
  const std::uint64_t idle = passed - paused;
  const std::uint64_t start = process_of(state).is_beyond ? 0 : now - std::min(now, until);
  const std::uint64_t beside = std::min(idle, teams_at_begin - std::min(teams_at_begin, before.teams));
  const std::uint64_t in_mpi = process_of(state).in_mpi.value(until);
  const std::uint64_t mpi = std::min(idle - beside, in_mpi - std::min(in_mpi, before.mpi));
  const std::uint64_t in_device = process_of(state).in_device.value(until);
  const std::uint64_t device = std::min(idle - beside - mpi, in_device - std::min(in_device, before.device));
  charge(state, Place::unknown, paused);
  charge(state, Place::unused, beside);
  charge(state, Place::mpi_idle, mpi);
  charge(state, Place::device_idle, device);
  charge(state, Place::serial_idle, idle - beside - mpi - device);
  charge(state, Place::team, start);
  if (shared != nullptr)
    shared->starts.emplace_back(start, now);
  else
    add_detail(Place::team, undefined_ref, undefined_ref, undefined_ref, start, now, 0);
}

/// It is in nobody's way, and of no use, from here on; but where libgomp has ended it, its place is empty as long as no
/// other worker takes it.
void Accountant::thread_ended(LocationRef location, std::uint64_t time) {
  State& state = states_[location];
  if (!state.counted) return;
  record_again(state, time);
  Process& process = process_of(state);
  if (state.worker) process.ended_workers.push_back(location);
  if (!state.seen && state.worker)  // without an event: it waited for work from the beginning on
    state.idle = Idle{.from = process.begin};
  if (state.idle)
    end_idle(state, time, process.active.value(time));
  else if (!state.seen)
    charge(state, Place::absent, time - std::min(time, process.begin + process.beyond.value(time)));
  state.ended = std::max<std::uint64_t>(1, time);
  state.beyond_at_end = process.beyond.value(time);
  if (state.worker && process.ends_workers) begin_idle(state, std::max(state.ended, process.begin));
}

void Accountant::team_begun(LocationRef location, Team& team, Task&) {
  State& state = states_[location];
  if (!state.counted) return;
  TeamState& known = state_of(team);
  if (known.begin == 0) {
    known.begin = team.begin;
    known.is_outer = (team.master < states_.size() ? states_[team.master] : state).members.empty();
  }
  state.forking = false;
  if (state.idle) {
    std::uint64_t teams_at_fork = state.teams_now;
    if (team.master < states_.size() && !states_[team.master].teams_at_fork.empty())
      teams_at_fork = states_[team.master].teams_at_fork.back();
    charge_idle(state, team.begin, teams_at_fork, now_, &known);
  }
  if (state.members.empty() && !state.helper && ++in_teams_ > most_at_once_) {
    most_at_once_ = in_teams_;
    teams_at_once_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, process_of(state).teams));
  }
  state.members.push_back({});
  state.members.back().team = &team;
  state.members.back().shared = &known;
  known.at_work.add(1, now_);
  const auto levels = std::count_if(state.members.begin(), state.members.end(),
                                    [](const Member& member) { return member.team->size > 1; });
  active_levels_ = std::max(active_levels_, static_cast<std::uint64_t>(levels));
  refresh(state, now_);
}

void Accountant::team_left(LocationRef location, Team& team, Task&) {
  State& state = states_[location];
  if (!state.counted || state.members.empty()) return;
  const Member& member = state.members.back();
  if (member.is_at_hand)
    member.shared->queued.add_waiting(-1, now_);
  else
    member.shared->at_work.add(-1, now_);
  if (member.is_in_task) member.shared->in_tasks.add(-1, now_);
  state.members.pop_back();
  // For the team around it the nested region is what its thread does meanwhile.
  if (location == team.master && !state.members.empty())
    state.members.back().spent.add(team.region, now_ - std::min(now_, team.begin));
  if (state.members.empty() && !state.helper) in_teams_ -= std::min<std::uint64_t>(in_teams_, 1);
  if (location == team.master && !state.teams_at_fork.empty()) state.joining = true;
  refresh(state, now_);
}

void Accountant::team_ended(Team& team) {
  const auto found = teams_.find(&team);
  if (found == teams_.end()) return;
  // The master's Enter names the region; workers may come first.
  for (const auto& [ns, at] : found->second.starts)
    add_detail(Place::team, team.region, undefined_ref, team.region, ns, at, 0);
  for (auto& [number, episode] : found->second.episodes) finish_episode(team, episode, team.end);
  if (const LastTask& last = found->second.last_task; last.end != 0) {
    TasksIn& tasks = tasks_of(team);
    ++tasks.executions;
    tasks.wall += team.end - std::min(team.end, team.begin);
    tasks.last = std::max(tasks.last, last.ns);
    tasks.all_last += last.ns;
    tasks.all_waiters += found->second.most_waiters;
  }
  for (const Team::Member& one : team.members) {  // members that the trace does not let go
    std::erase_if(states_[one.location].members, [&](const Member& member) { return member.team == &team; });
  }
  const State& master = states_[team.master];
  if (!master.helper && team.end > team.begin) {
    InRegion& here = in_regions_[team.region];
    here.threads += team.size * (team.end - team.begin);
    here.wall.add(team.begin, team.end);
  }
  if (found->second.is_outer && !master.helper && team.end > team.begin) {
    Beside& beside = process_of(master).beside[team.region];
    beside.wall += team.end - team.begin;
    beside.threads += team.size * (team.end - team.begin);
    beside.largest = std::max(beside.largest, team.size);
    ++beside.count;
  }
  teams_.erase(found);
}

}  // namespace tracer::report
