// SPDX-License-Identifier: BSD-3-Clause
// See task_course.hpp.
#include "tracer/translate/resolve/course/task_course.hpp"

#include <algorithm>

#include "tracer/ompt_values.hpp"

namespace tracer::translate {

void TaskCourse::discard(TaskId id, Ticks time, Nanoseconds t) {
  const Construct construct = names_.region(id).construct;
  if (construct == Construct::count_ || construct == Construct::taskwait) return;
  if (id == nest_.current->id || live_.find(id) || view_.tables.all_tasks_end() || !view_.tables.begins_at(id, time))
    return;
  const TaskName task = names_.of(id), &around = *nest_.current;
  if (task.comm == undefined_ref || around.comm == undefined_ref) return;
  listener_.switched(task, t);
  listener_.completed(task, t);
  listener_.switched(around, t);
}

TaskState& TaskCourse::begin(TaskId id) {
  TaskState& task = live_.add(id);
  static_cast<TaskName&>(task) = names_.of(id);
  task.id = id;
  task.depth = nest_.parts.size();
  task.limit = never;
  task.ends_unreported = false;
  task.encountered = 0;
  task.open.clear();
  return task;
}

void TaskCourse::complete_current(Nanoseconds t) {
  TaskState& task = *nest_.current;
  const std::size_t inside = task.open.closed(view_.repairs, 1, Repair::region_closed_by_task_end);
  if (inside != 0) [[unlikely]]
    listener_.left(task.open, inside, t);
  listener_.left(task.open, task.open.closed(view_.repairs, 0, {}), t);
  listener_.completed(task, t);
}

void TaskCourse::switch_to(TaskId next, Nanoseconds t) {
  TaskState* target = next == nest_.implicit().id ? &nest_.implicit() : live_.find(next);
  const bool fresh = !target;
  if (fresh) target = &begin(next);
  if (target == nest_.current) return;
  nest_.current = target;
  listener_.switched(*target, t);
  if (!fresh) return;
  if (!view_.tables.all_tasks_end()) limit(*target);
  const RegionKey key = names_.region(next);
  if (key.construct == Construct::count_) return view_.note(Repair::task_without_creation);
  listener_.task_begun(*target, key, t);
}

void TaskCourse::switch_to_implicit(Nanoseconds t) {
  switch_to(nest_.implicit().id, t);
  nest_.current = &nest_.implicit();
}

/// A task that runs outside its team must end with that.
void TaskCourse::limit(TaskState& task) {
  const Tables& tables = view_.tables;
  const std::optional<Entity> entity = tables.entity(task.id);
  const ImplicitInstance* const part = entity ? tables.part_of(tracer::channel_of(task.id), entity->index) : nullptr;
  const ParallelInstance* const p = part ? tables.parallel(part->parallel) : nullptr;
  if (!p || std::any_of(nest_.parts.begin(), nest_.parts.end(), [p](const Part& i) { return i.parallel == p; })) return;
  task.limit = p->limit;
  expiry_ = std::min(expiry_, task.limit);
}

void TaskCourse::close_task(TaskId id, Nanoseconds t) {
  const TaskState* const task = live_.find(id);
  if (task && task->ends_unreported && task == nest_.current) return end_unreported(t);
  if (!task || !task->ends_unreported) view_.note(Repair::task_closed_by_team_end);
  switch_to(id, t);
  complete_current(t);
  switch_to_implicit(t);
  forget(id);
}

void TaskCourse::close(Nanoseconds t, std::size_t depth, CommRef team) {
  if (live_.empty()) return;
  std::vector<TaskId> left;
  live_.for_each([&](TaskId id, const TaskState& task) {
    if (&task != nest_.current && !nest_.encounters_team(task) &&
        (task.depth >= depth || (team != undefined_ref && task.comm == team)))
      left.push_back(id);
  });
  std::sort(left.begin(), left.end());
  if (nest_.in_explicit_task() && !nest_.encounters_team(*nest_.current)) left.insert(left.begin(), nest_.current->id);
  for (const TaskId id : left) close_task(id, t);
}

// Tasks that run outside their team, which ends.
void TaskCourse::expire(Ticks when) {
  if (expiry_ >= when) return;
  std::vector<std::pair<Ticks, TaskId>> late;
  expiry_ = never;
  live_.for_each([&](TaskId id, const TaskState& task) {
    if (task.limit < when && !nest_.encounters_team(task)) {
      late.emplace_back(task.limit, id);
    } else if (task.limit >= when) {
      expiry_ = std::min(expiry_, task.limit);
    }
  });
  std::sort(late.begin(), late.end());
  const TaskId running = nest_.current->id;
  for (const auto& [last, id] : late) close_task(id, view_.clock(last));
  if (live_.find(running)) switch_to(running, listener_.last());
}

// `taskwait depend`. libomp 13 and 14 create it as an explicit task that is never switched to.
void TaskCourse::finish_taskwait(TaskId task, Ticks time, Nanoseconds t) {
  const Tables& tables = view_.tables;
  if (tables.all_tasks_end() || tables.is_left_out(task) || !tables.begins_at(task, time) || live_.find(task))
    return view_.note(Repair::end_of_wait_that_was_no_task);
  const TaskId before = nest_.current->id;
  switch_to(task, t);
  complete_current(t);
  switch_to(before, t);
  forget(task);
}

void TaskCourse::forget(TaskId id) {
  TaskState* const gone = live_.find(id);
  if (!gone) return;
  nest_.replace(*gone);
  live_.erase(id);
}

// Outside a team of several threads the completion of a task runs those that waited for it, and libomp (to 22) calls
// the completed one their prior and their next task: what is meant is the task to which the completed one returned.
TaskId TaskCourse::returned_to(TaskId next, Ticks time) {
  if (!view_.tables.all_tasks_end() && view_.tables.begins_at(next, time)) return next;
  for (std::size_t n = completed_.size(); n-- > 0;) {
    if (completed_[n].first != next) continue;
    next = completed_[n].second;
    completed_.resize(n);
    break;
  }
  return next;
}

/// The task that is left, and `ends` or not, and is current now; nullptr: none that began here, or none that can be
/// left.
const TaskState* TaskCourse::left(TaskId prior, TaskId next, bool ends, Nanoseconds t) {
  const TaskState* const before = live_.find(prior);
  if (before && nest_.encounters_team(*before)) {
    view_.note(Repair::switch_from_task_with_open_team);
    return nullptr;
  }
  if (before && before != nest_.current) {
    // From a task to itself: an untied task of a team of one goes on (libomp).
    if (prior != next) view_.note(Repair::switch_from_other_task);
    switch_to(prior, t);
  } else if (!before && !ends && next != nest_.current->id && prior != nest_.current->id &&
             names_.region(prior).construct != Construct::count_) {
    completed_.emplace_back(prior, nest_.current->id);
  }
  return before;
}

void TaskCourse::schedule(const Record& r, Nanoseconds t) {
  const TaskId prior = r.b, wanted = returned_to(r.c, r.time);
  if (r.sub == task_status::taskwait_complete) return finish_taskwait(prior, r.time, t);
  const bool ends = task_status::ends_task(r.sub);
  // The end of a task that has no id: a taskgraph's replay runs tasks that it creates without a word.
  if (ends && prior == no_id && listener_.is_recording()) view_.note(Repair::task_without_creation);
  const TaskState* const before = left(prior, wanted, ends, t);
  if (before && ends) {
    complete_current(t);
  } else if (before && untied_.migrates(r.time, prior, false)) {
    // It goes on with another thread: here its regions end, there they do not begin again.
    RegionStack& open = nest_.current->open;
    listener_.left(open, open.closed(view_.repairs, 0, {}), t);
  }
  const bool leaves_for_good = before && (ends || before->open.empty());
  const bool migrated_in = untied_.migrates(r.time, wanted, true);
  const std::optional<TaskId> next = ends && wanted == prior ? nest_.implicit().id : next_task(wanted, r, migrated_in);
  if (next) {
    switch_to(*next, t);
    if (migrated_in) expect_unreported_end(*next, r.time, prior);
  } else if (leaves_for_good) {
    switch_to_implicit(t);
  }
  if (leaves_for_good && prior != next) forget(prior);
}

/// What runs next; nothing: what runs now.
std::optional<TaskId> TaskCourse::next_task(TaskId next, const Record& r, bool migrated_in) {
  // 0: the implicit task, which has no id while a worker is in its join barrier.
  if (next == no_id || next == nest_.implicit().id) return nest_.implicit().id;
  if (const TaskState* const known = live_.find(next)) {
    if (!nest_.encounters_team(*known)) return next;
    view_.note(Repair::switch_to_task_with_open_team);
    return {};
  }
  if (std::any_of(nest_.parts.begin(), nest_.parts.end(), [&](const Part& i) { return i.task.id == next; }))
    return nest_.implicit().id;
  const bool paused_team = names_.of(next).comm == undefined_ref;
  if (paused_team || names_.region(next).construct == Construct::count_ || view_.tables.is_left_out(next) ||
      (!migrated_in && !view_.tables.begins_at(next, r.time))) {
    if (listener_.is_recording()) view_.note(Repair::switch_to_task_elsewhere);
    return {};
  }
  return next;
}

/// An untied task that has come here goes on to its end, which another thread reports.
void TaskCourse::expect_unreported_end(TaskId id, Ticks from, TaskId below) {
  const Ticks end = untied_.unreported_end(id, from);
  TaskState* const task = live_.find(id);
  if (!task || end == never) return;
  task->ends_unreported = true;
  task->below = below;
  task->limit = std::min(task->limit, end);
  expiry_ = std::min(expiry_, task->limit);
}

bool TaskCourse::is_over(const Record& r) const {
  if (nest_.parts.size() != nest_.current->depth) return false;  // of a team that the task made
  switch (r.kind) {
    case RecordKind::task_schedule:
    case RecordKind::task_create:
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
    case RecordKind::cancel:
      return r.b != nest_.current->id;
    case RecordKind::implicit_task:
      return r.endpoint == Endpoint::end;
    default:
      return false;
  }
}

void TaskCourse::end_unreported(Nanoseconds t) {
  const TaskId id = nest_.current->id, below = nest_.current->below;
  complete_current(t);
  const TaskState* const under = live_.find(below);
  if (under && under->depth >= nest_.parts.size()) {  // not one outside of this part of a team
    switch_to(below, t);
  } else {
    switch_to_implicit(t);
  }
  forget(id);
}

}  // namespace tracer::translate
