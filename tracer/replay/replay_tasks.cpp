// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a replay: how they are created, run, end, depend on each other and are discarded.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tracer/ompt_values.hpp"
#include "tracer/replay/attributes.hpp"
#include "tracer/replay/replay.hpp"

namespace tracer::report {
namespace {

TaskKey key_of(const Event& event) {
  return {event.ref, static_cast<std::uint32_t>(event.a), event.b};
}

}  // namespace

const std::shared_ptr<Team>& Replay::team_of(const LocationState& location, const Event& event) {
  const Membership* const named = location.membership([&event](const Team& team) { return team.comm == event.ref; });
  if (named != nullptr) return named->team;
  static const std::shared_ptr<Team> none;
  return location.contexts.empty() ? none : location.contexts.back().team;
}

TaskRef Replay::find(const Event& event, const std::shared_ptr<Team>& team) {
  TaskRef& task = tasks_[key_of(event)];
  if (task == nullptr) {
    ++irregular_;
    task = pool_.make();
    task->is_explicit = true;
    task->number = ++tasks_begun_;
    task->team = team;
    task->created = event.time;
  }
  return task;
}

void Replay::do_task_create(LocationRef ref, LocationState& location, const Event& event,
                            std::span<const EventAttribute> attributes) {
  TaskRef task = pool_.make();
  task->is_explicit = true;
  task->number = ++tasks_begun_;
  task->id = attribute_value(attributes, task_id_);
  task->location = task->created_on = ref;
  task->parent = location.current;
  if (const FrameStack& open = location.current->stack;
      !open.empty() && classes_[open.back().region].construct == Directive::task_create)
    task->creation = open.back().region;
  task->team = team_of(location, event);
  const std::uint64_t flags = attribute_value(attributes, task_flags_);
  task->is_final = location.current->is_final || (flags & task_flag::is_final) != 0;
  // In a team of one thread, libomp calls every task undeferred: that says nothing of the program.
  const bool is_alone = task->team == nullptr || task->team->size <= 1;
  task->undeferred = !is_alone && (location.current->is_final || (flags & task_flag::undeferred) != 0);
  task->created = event.time;
  TaskRef& place = tasks_[key_of(event)];
  if (place != nullptr) forget_id(ref, *place);  // never complete, and called as this one now
  place = task;
  if (needs_ids_ && task->id != 0) by_id_[in_process(ref, task->id)] = task.get();
  for (Observer* observer : observers_.task_created) observer->task_created(ref, *location.current, *task);
  if (has_dependences_ || !declared_.any()) return;
  for (Task* const before : declared_.predecessors(*task, attributes)) depend(*before, *task);
}

void Replay::forget_id(LocationRef ref, const Task& task) {
  if (!needs_ids_ || task.id == 0) return;
  const auto found = by_id_.find(in_process(ref, task.id));
  if (found != by_id_.end() && found->second == &task) by_id_.erase(found);
}

void Replay::do_task_switch(LocationRef ref, LocationState& location, const Event& event) {
  const TaskRef from = std::move(location.current);
  if (event.b == 0) {
    location.current = location.contexts.empty() ? location.root : location.contexts.back().implicit;
  } else {
    location.current = find(event, team_of(location, event));
    Task& task = *location.current;
    task.location = ref;
    if (!task.started) {
      task.started = true;
      task.first_start = event.time;
      for (Observer* observer : observers_.task_started) observer->task_started(ref, task);
    }
  }
  for (Observer* observer : observers_.task_switched)
    observer->task_switched(ref, *from, *location.current, event.time);
}

void Replay::do_task_complete(LocationRef ref, LocationState& location, const Event& event) {
  const TaskRef task = tasks_.take(key_of(event));
  if (task == nullptr) {
    ++irregular_;
    return;
  }
  task->completed = true;
  task->stack.clear();
  for (Observer* observer : observers_.task_completed) observer->task_completed(ref, *task, event.time);
  task->forget_complete_ancestors();
  task->after.clear();
  forget_id(ref, *task);
  if (location.current == task) {
    location.current = location.contexts.empty() ? location.root : location.contexts.back().implicit;
    for (Observer* observer : observers_.task_switched)
      observer->task_switched(ref, *task, *location.current, event.time);
  }
}

std::vector<Task*> Replay::open_tasks() const {
  std::vector<Task*> open;
  tasks_.for_each([&](Task& task) { open.push_back(&task); });
  std::sort(open.begin(), open.end(), [](const Task* a, const Task* b) { return a->number < b->number; });
  return open;
}

void Replay::dependence(LocationRef ref, std::span<const EventAttribute> attributes) {
  const auto source = by_id_.find(in_process(ref, attribute_value(attributes, source_id_)));
  const auto sink = by_id_.find(in_process(ref, attribute_value(attributes, sink_id_)));
  if (source == by_id_.end() || sink == by_id_.end()) return;
  Task *const from = source->second, *const to = sink->second;
  if (from != to && !to->started) depend(*from, *to);
}

/// A task that a cancellation discards is named before the thread switches to it, only to complete it.
void Replay::cancel(LocationRef ref, std::span<const EventAttribute> attributes) {
  if ((attribute_value(attributes, cancel_flags_) & cancel_flag::discarded_task) == 0) return;
  const auto task = by_id_.find(in_process(ref, attribute_value(attributes, task_id_)));
  if (task != by_id_.end() && !task->second->started) task->second->discarded = true;
}

void Replay::depend(Task& source, Task& sink) {
  sink.after.emplace_back(&source);
  for (Observer* observer : observers_.task_dependence) observer->task_dependence(source, sink);
}

}  // namespace tracer::report
