// SPDX-License-Identifier: BSD-3-Clause
// What threads wait for at barriers and in taskwait: the last to come, tasks of others, or nothing any more.
#include <algorithm>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {

/// What a thread waits for detached tasks' events: all else would have to be done by others. In a taskwait those are
/// the team's tasks, at a barrier whatever its members do.
PendingEvents::Part Accountant::wait_for_events(const Member& member, Activity activity, std::uint64_t from,
                                                std::uint64_t to) {
  const TeamState& team = *member.shared;
  PendingEvents::Part part = team.pending.within(from, to);
  const std::uint64_t others = activity == Activity::task_wait
                                   ? team.in_tasks.value(to) - std::min(team.in_tasks.value(to), member.in_tasks_from)
                                   : team.at_work.value(to) - std::min(team.at_work.value(to), member.at_work_from);
  part.ns = std::min(part.ns, to - from - std::min(to - from, others));
  return part;
}

/// What of `from` to `to`, in which a thread waited so long for events, is before the last creation and beside all
/// tasks.
std::uint64_t Accountant::until_last_creation(const Member& member, const Episode& episode, std::uint64_t from,
                                              std::uint64_t to, std::uint64_t detached) {
  if (episode.last_creation <= from) return 0;
  const std::uint64_t until = std::min(to, episode.last_creation);
  const std::uint64_t busy = episode.busy_at_creation - std::min(episode.busy_at_creation, member.busy_from);
  const std::uint64_t taken = busy + std::min(detached, member.shared->pending.within(from, until).ns);
  return until - from - std::min(until - from, taken);
}

void Accountant::wait_for_others(LocationRef location, State& state, Member& member, const Task& task,
                                 Activity activity, std::uint64_t from, std::uint64_t to) {
  TeamState& team = *member.shared;
  const std::uint64_t ns = to - from;
  const std::uint64_t queued =
      std::min(ns, team.queued.value(to) - std::min(team.queued.value(to), member.queued_from));
  const std::uint64_t busy = std::min(ns, team.busy.value(to) - std::min(team.busy.value(to), member.busy_from));
  PendingEvents::Part events = wait_for_events(member, activity, from, to);
  events.ns = std::min(events.ns, ns - queued);
  const RegionRef region = task.stack.back().region;
  if (activity == Activity::task_wait || task.is_explicit || !member.waiting) {
    // Without a task in sight a taskwait waits for one on a device, or its child has just ended.
    charge(state, Place::tasking, queued);
    charge(state, Place::detached, events.ns);
    charge(state, Place::starvation, ns - queued - events.ns);
    add_detail(Place::tasking, region, undefined_ref, member.team->region, queued, to, member.team->size);
    add_detail(Place::detached, region, events.region, member.team->region, events.ns, to, member.team->size);
    add_detail(Place::starvation, region, undefined_ref, member.team->region, ns - queued - events.ns, to,
               member.team->size);
    return;
  }
  Episode& episode = team.episodes[member.number];
  const std::uint64_t starving = std::min(busy - std::min(busy, queued), ns - queued - events.ns);
  std::uint64_t rest = ns - queued - events.ns - starving, late = 0;
  if (episode.last_arrival != 0 && to > episode.last_arrival) {
    // What is behind the last arrival, but for the time in which tasks were left.
    const std::uint64_t after = std::min(ns, to - episode.last_arrival);
    const std::uint64_t busy_then = std::max(episode.busy_at_arrival, member.busy_from);
    const std::uint64_t busy_after = team.busy.value(to) - std::min(team.busy.value(to), busy_then);
    const std::uint64_t events_after = std::min(events.ns, team.pending.within(to - after, to).ns);
    late = std::min(rest, after - std::min(after, busy_after + events_after));
  }
  rest -= late;
  charge(state, Place::tasking, queued);
  charge(state, Place::detached, events.ns);
  charge(state, Place::starvation, starving);
  charge(state, Place::team, late);
  if (rest != 0) {
    Waited& waited = episode.waited_of(location, member.waited_at);
    waited.creating =
        episode.until_creation(waited) + std::min(rest, until_last_creation(member, episode, from, to, events.ns));
    waited.ns += rest;
    waited.until = to;
  }
  episode.region = region;
  episode.tasking += queued;
  episode.starvation += starving;
  if (events.ns > episode.detached.ns) episode.detached.region = events.region;
  episode.detached.ns += events.ns;
  episode.rest += late;
}

void Accountant::arrive(Member& member, RegionRef region, std::uint64_t time) {
  TeamState& team = *member.shared;
  Episode& episode = team.episodes[member.number];
  member.waiting = true;
  episode.region = region;
  if (episode.arrived++ == 0) episode.first_arrival = time;
  for (const auto& [where, ns] : member.spent) episode.spent.add(where, ns);
  if (episode.arrived < member.team->size) return;
  // The last one: what did it do that the others did not?
  episode.last_arrival = std::max<std::uint64_t>(time, 1);
  episode.creator_was_last = member.created_at > episode.first_arrival;
  episode.busy_at_arrival = team.busy.value(time);
  double most = 0;
  for (const auto& [where, ns] : member.spent) {
    const std::uint64_t* const sum = episode.spent.find(where);
    const double all = sum != nullptr ? static_cast<double>(*sum) : 0;
    const double more = static_cast<double>(ns) - all / std::max(1u, member.team->size);
    if (more > most) {
      most = more;
      episode.cause = where;
    }
  }
}

/// Who waits for a thread that still creates tasks starves; what that does behind its last one keeps it from the
/// barrier.
void Accountant::finish_episode(Team& team, Episode& episode, std::uint64_t time) {
  const std::uint64_t at = episode.last_arrival != 0 ? episode.last_arrival : time;
  std::uint64_t imbalance = 0, starvation = episode.starvation;
  for (const Waited& waited : episode.waited) {
    const std::uint64_t creating = episode.creator_was_last ? episode.until_creation(waited) : 0;
    charge(states_[waited.location], Place::starvation, creating);
    charge(states_[waited.location], Place::imbalance, waited.ns - creating);
    starvation += creating;
    imbalance += waited.ns - creating;
  }
  add_detail(Place::imbalance, episode.region, episode.cause, team.region, imbalance, at, team.size);
  add_detail(Place::starvation, episode.region, episode.cause, team.region, starvation, at, team.size);
  add_detail(Place::detached, episode.region, episode.detached.region, team.region, episode.detached.ns, at, team.size);
  add_detail(Place::tasking, episode.region, undefined_ref, team.region, episode.tasking, at, team.size);
  add_detail(Place::team, episode.region, undefined_ref, team.region, episode.rest, at, team.size);
}

}  // namespace tracer::report
