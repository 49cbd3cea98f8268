// SPDX-License-Identifier: BSD-3-Clause
// Tasks that could be run, tasks that are not complete, and what creating one costs.
#include <algorithm>
#include <optional>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {
namespace {

/// Creating a task takes libomp between 0.1 and 1 us; more in a gap is the program's own work.
constexpr std::uint64_t most_creation_ns = 2'000;

}  // namespace

void Accountant::task_created(LocationRef location, Task& creator, Task& task) {
  State& state = states_[location];
  TasksIn& beside = tasks_beside(task);
  ++beside.creates;
  if (!creator.is_explicit) ++beside.own_creates;
  ++state.creates;
  if (!task.team) return;
  TeamState& team = state_of(*task.team);
  team.queued.add_queued(1, now_);
  team.busy.add(1, now_);
  if (state.members.empty()) return;
  Member& member = state.members.back();
  if (member.shared != &team || member.waiting) return;  // tasks of a thread at a barrier keep the team busy
  member.created_at = now_;
  Episode& episode = team.episodes[member.number];
  episode.last_creation = now_;
  episode.busy_at_creation = team.busy.value(now_);
}

/// The sink can run only when all its sources are complete: until then nobody could have taken it.
void Accountant::task_dependence(Task& source, Task& sink) {
  ++tasks_beside(sink).dependences;
  TeamState* const team = open_team_of(sink);
  if (team == nullptr || sink.started) return;
  if (blocked_[&sink]++ == 0) team->queued.add_queued(-1, now_);
  successors_[&source].push_back(&sink);
}

void Accountant::unblock(Task& task, std::uint64_t time) {
  const auto found = blocked_.find(&task);
  if (found == blocked_.end() || --found->second != 0) return;
  blocked_.erase(found);
  if (TeamState* const team = open_team_of(task)) team->queued.add_queued(1, time);
}

void Accountant::task_started(LocationRef, Task& task) {
  if (blocked_.erase(&task) != 0) return;  // its sources' ends are not in the trace, or come in the same instant
  if (TeamState* const team = open_team_of(task)) team->queued.add_queued(-1, now_);
}

void Accountant::task_completed(LocationRef location, Task& task, std::uint64_t time) {
  if (has_events_ && task.id != 0)
    few_ended_tasks_.entry(ended_tasks_, replay_.in_process(location, task.id), [](const EndedTask& ended) {
      return std::optional{ended.time};
    }) = {task.team.get(), time, task.region};
  if (!task.discarded) {
    TasksIn& beside = tasks_beside(task);
    ++tasks_;
    ++beside.tasks;
    ++beside.of_construct[task.region];
  }
  if (const auto found = successors_.find(&task); found != successors_.end()) {
    for (Task* sink : found->second) unblock(*sink, time);
    successors_.erase(found);
  }
  if (TeamState* const team = open_team_of(task)) {
    if (!task.started && !blocked_.contains(&task)) team->queued.add_queued(-1, time);
    team->busy.add(-1, time);
    if (!task.discarded) team->last_task.completed(task.active - task.waited, time);
  }
  blocked_.erase(&task);
}

/// Of a task that still runs the event is no reason to wait.
void Accountant::fulfilled(LocationRef location, std::uint64_t time, std::uint64_t task) {
  const auto ended = ended_tasks_.find(replay_.in_process(location, task));
  if (ended == ended_tasks_.end()) return;
  const auto team = teams_.find(ended->second.team);
  if (team != teams_.end()) team->second.pending.add(ended->second.time, time, ended->second.region);
  ended_tasks_.erase(ended);
}

void Accountant::task_switched(LocationRef location, Task&, Task& to, std::uint64_t time) {
  follow_waiting(states_[location], to, time);
}

/// Whether the thread, which is in `task` from now on, is one of those that wait for tasks.
void Accountant::follow_waiting(State& state, const Task& task, std::uint64_t time) {
  if (state.members.empty()) return;
  Member& member = state.members.back();
  bool waits = false;
  if (!task.stack.empty()) {
    const Activity activity = task.stack.back().activity;
    waits = activity == Activity::barrier || activity == Activity::task_wait;
  }
  if (const bool is_in_task = task.is_explicit && !waits; is_in_task != member.is_in_task) {
    member.is_in_task = is_in_task;
    member.shared->in_tasks.add(is_in_task ? 1 : -1, time);
  }
  if (waits == member.is_at_hand) return;
  member.is_at_hand = waits;
  member.shared->at_work.add(waits ? -1 : 1, time);
  member.shared->queued.add_waiting(waits ? 1 : -1, time);
}

std::uint64_t Accountant::estimated_creation() const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : gaps_) all += count;
  if (all < 16) return 0;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < gaps_.size(); ++i) {
    below += gaps_[i];
    if (below * 3 < all) continue;  // a third of the gaps are shorter: those hold little else
    const std::size_t bits = i / 4, part = i % 4;
    const std::uint64_t ns = bits > 2 ? (4 + part) << (bits - 3) : std::uint64_t{1} << bits >> 1;
    return std::min(ns, most_creation_ns);
  }
  return 0;
}

}  // namespace tracer::report
