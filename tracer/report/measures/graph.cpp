// SPDX-License-Identifier: BSD-3-Clause
// Carries the longest path along while tasks are created, run, wait and end.
#include "tracer/report/measures/graph.hpp"

#include <algorithm>
#include <optional>

#include "tracer/replay/team_barrier.hpp"
#include "tracer/report/measures/mpi_paths.hpp"

namespace tracer::report {
namespace {

void raise(Path& path, const Path& other) {
  path = longer(path, other);
}

ChainOfTasks graph_of(const Team& team, std::uint64_t tasks) {
  ChainOfTasks graph;
  graph.tasks = tasks;
  // A path that came from another process by a message may be longer than all that was done here before.
  graph.path = std::min(team.final_path.ns - std::min(team.final_path.ns, team.first_path.ns), team.end - team.begin);
  for (const Team::Member& member : team.members) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(Activity::count_); ++i)
      if (is_on_path(static_cast<Activity>(i))) graph.work += member.ns[i];
  }
  return graph;
}

}  // namespace

Path& Graph::epoch(Team& team, std::uint64_t barrier) {
  if (barrier < team.barriers_gone) return forgotten_ = {};
  const std::size_t at = static_cast<std::size_t>(barrier - team.barriers_gone);
  if (team.barriers.size() <= at) team.barriers.resize(at + 1);
  return team.barriers[at].longest;
}

/// A member has left its `barrier`-th. What all have left is requested no more: memory does not grow with their number.
void Graph::pass(Team& team, std::uint64_t barrier) {
  if (barrier < team.barriers_gone) return;
  ++team.barriers[static_cast<std::size_t>(barrier - team.barriers_gone)].left;
  const std::uint32_t members = std::max(team.size, team.begun);
  std::size_t& passed = team.barriers_passed;
  while (passed < team.barriers.size() && team.barriers[passed].left >= members) ++passed;
  if (passed < 64 || 2 * passed < team.barriers.size()) return;
  team.barriers.erase(team.barriers.begin(), team.barriers.begin() + static_cast<std::ptrdiff_t>(passed));
  team.barriers_gone += passed;
  passed = 0;
}

void Graph::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  const std::uint64_t ns = to - from;
  if (activity == Activity::task_wait) tasks_.wait += ns;
  if (replay_.location(location).kind != LocationKind::cpu_thread) return;
  if (!is_on_path(activity)) return;
  if (activity == Activity::mpi && mpi_ != nullptr && mpi_->take(location, from, to)) return;
  task.path.ns += ns;
  if (trails_ && ns != 0) {
    if (longest_.trail == task.path.trail) longest_.trail.reset();  // this one is the longest again in a moment
    go_on_in(task.path.trail, location, from, to);
  }
  add_work(ns, task.path);
}

void Graph::add_work(std::uint64_t ns, const Path& path) {
  tasks_.work += ns;
  raise(longest_, path);
}

/// A lock that was released while the thread waited for it was handed over: what is done with it is done in turn.
void Graph::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type != EventType::acquire_lock && event.type != EventType::release_lock) return;
  Task& task = *replay_.location(location).current;
  const OwnNumber number = replay_.in_process(location, lock_number(event));
  if (event.type == EventType::release_lock) {
    Lock& lock = few_locks_.entry(locks_, number, [](const Lock& known) { return std::optional{known.released}; });
    lock.released = event.time;
    lock.path = task.path;
    return;
  }
  if (task.stack.empty() || task.stack.back().activity != Activity::lock_wait) return;
  const auto lock = locks_.find(number);
  if (lock != locks_.end() && lock->second.released > task.stack.back().enter) raise(task.path, lock->second.path);
}

void Graph::enter(LocationRef, Task& task, const Frame& frame) {
  const Directive construct = replay_.classes()[frame.region].construct;
  if (task.team != nullptr && is_team_barrier(task, construct, replay_.classes())) {
    if (task.stack.size() > 1 &&
        replay_.classes()[task.stack[task.stack.size() - 2].region].activity == Activity::barrier)
      return;
    raise(epoch(*task.team, task.barriers), task.path);
  }
}

void Graph::leave(LocationRef, Task& task, const Frame& frame, std::uint64_t) {
  const Directive construct = replay_.classes()[frame.region].construct;
  switch (construct) {
    case Directive::barrier:
    case Directive::implicit_barrier:
      if (task.team == nullptr || !is_team_barrier(task, construct, replay_.classes())) break;
      if (!task.stack.empty() && replay_.classes()[task.stack.back().region].activity == Activity::barrier) break;
      raise(task.path, epoch(*task.team, task.barriers));
      pass(*task.team, task.barriers);
      ++task.barriers;
      break;
    case Directive::task_wait:
      raise(task.path, task.children);
      break;
    case Directive::task_group:
      raise(task.path, task.descendants);
      break;
    case Directive::task_create:
      tasks_.create += frame.active;
      break;
    default:
      break;
  }
}

void Graph::task_created(LocationRef, Task& creator, Task& task) {
  ++tasks_.created;
  task.path = creator.path;
}

void Graph::task_started(LocationRef, Task& task) {
  if (task.discarded) return;
  tasks_.delay += task.first_start - task.created;
  for (const auto& source : task.after) {
    raise(task.path, source->path);
    raise(task.chain, source->chain);
  }
  task.after.clear();
  ++task.path.tasks;
}

void Graph::task_switched(LocationRef, Task&, Task& to, std::uint64_t) {
  tasks_.switches += to.is_explicit ? 1 : 0;
}

void Graph::task_completed(LocationRef location, Task& task, std::uint64_t) {
  if (task.discarded) {
    ++tasks_.discarded;
    ++regions_[task.creation].discarded;
    return;
  }
  ++tasks_.completed;
  const std::uint64_t own = task.active - task.waited;
  task.chain.ns += own;
  ++task.chain.tasks;
  raise(chain_, task.chain);
  tasks_.total += task.active;
  tasks_.own += own;
  tasks_.longest = std::max(tasks_.longest, own);
  tasks_.shortest = tasks_.completed == 1 ? own : std::min(tasks_.shortest, own);
  tasks_.moved += task.parent != nullptr && task.parent->location != location ? 1 : 0;
  raise(longest_, task.path);
  TaskRow& row = regions_[task.region];
  row.shortest = row.count == 0 ? task.active : std::min(row.shortest, task.active);
  ++row.count;
  row.total += task.active;
  row.longest = std::max(row.longest, task.active);
  const Membership* const member =
      replay_.location(location).membership([&task](const Team& team) { return &team == task.team.get(); });
  if (member != nullptr) {
    raise(member->team->final_path, task.path);
    raise(epoch(*member->team, member->implicit->barriers), task.path);  // done before its team's next barrier
  }
  if (task.parent != nullptr) {
    raise(task.parent->children, task.path);
    if (task.undeferred) raise(task.parent->path, task.path);
  }
  // Whoever waits for descendants waits for those between as well, and these hand on what they received.
  if (Task* const up = task.open_ancestor()) raise(up->descendants, longer(task.path, task.descendants));
}

void Graph::team_begun(LocationRef, Team& team, Task& implicit) {
  if (team.encountering != nullptr) implicit.path = team.encountering->path;
}

void Graph::team_left(LocationRef, Team& team, Task& implicit) {
  raise(team.final_path, implicit.path);
}

void Graph::team_ended(Team& team) {
  const std::uint64_t chain = team.final_path.tasks - std::min(team.final_path.tasks, team.first_path.tasks);
  if (chain != 0) {
    ChainOfTasks& graph = tasks_.graphs[team.region];
    if (chain > graph.tasks) graph = graph_of(team, chain);
    if (graph.tasks > tasks_.graph.tasks) tasks_.graph = graph;
  }
  if (team.encountering == nullptr) return;
  Task& joins = *team.encountering;
  if (mpi_ == nullptr || !mpi_->join_before_call(joins, team.begin, team.final_path))
    raise(joins.path, team.final_path);
}

void Graph::fill(Report& report) const {
  report.tasks = tasks_;
  report.tasks.chain = chain_.ns;
  report.tasks.chain_tasks = chain_.tasks;
  report.tasks.critical_path = longest_.ns;
  report.tasks.critical_path_tasks = longest_.tasks;
  for (const auto& [region, row] : regions_) {
    TaskRow out = row;
    out.region = region;
    out.name = region == undefined_ref ? "unknown task" : definitions_.regions[region].name;
    report.tasks.regions.push_back(std::move(out));
  }
  std::stable_sort(report.tasks.regions.begin(), report.tasks.regions.end(),
                   [](const TaskRow& a, const TaskRow& b) { return a.total > b.total; });
}

}  // namespace tracer::report
