// SPDX-License-Identifier: BSD-3-Clause
// The explicit tasks of one thread: which runs, and how each ends.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tracer/translate/resolve/course/channel_view.hpp"
#include "tracer/translate/resolve/course/course_listener.hpp"
#include "tracer/translate/resolve/course/live_tasks.hpp"
#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/resolve/course/task_names.hpp"
#include "tracer/translate/resolve/course/untied_tasks.hpp"

namespace tracer::translate {

class TaskCourse {
 public:
  TaskCourse(ChannelView& view, Nest& nest, const TaskNames& names, CourseListener& listener)
      : view_(view), nest_(nest), listener_(listener), names_(names), untied_(view.plan()) {}

  /// A switch, or the end of a wait that is a task to the runtime (waits()).
  void schedule(const Record& r, Nanoseconds t);
  /// The task of a `taskwait depend`, which is a region to the program; no_id is one, too.
  bool waits(TaskId task) const { return task == no_id || names_.region(task).construct == Construct::taskwait; }
  /// A task that cancellation keeps from running is switched to, for no time, so that every task created completes.
  /// `time`: of that record; never: the trace ends.
  void discard(TaskId id, Ticks time, Nanoseconds t);
  /// Tasks without a record of their completion end with their team, or with the thread's part of that in which they
  /// began.
  void close(Nanoseconds t, std::size_t depth, CommRef team);

  /// When the first task that runs outside its team must have ended.
  Ticks expiry() const noexcept { return expiry_; }
  void expire(Ticks when);

  /// The current task's end has no record, and the record is of what runs after it.
  bool is_over(const Record& r) const;
  void end_unreported(Nanoseconds t);

 private:
  void finish_taskwait(TaskId task, Ticks time, Nanoseconds t);
  TaskId returned_to(TaskId next, Ticks time);
  const TaskState* left(TaskId prior, TaskId next, bool ends, Nanoseconds t);
  std::optional<TaskId> next_task(TaskId next, const Record& r, bool migrated_in);
  void switch_to(TaskId next, Nanoseconds t);
  void switch_to_implicit(Nanoseconds t);
  TaskState& begin(TaskId id);
  void limit(TaskState& task);
  void complete_current(Nanoseconds t);
  void close_task(TaskId id, Nanoseconds t);
  void expect_unreported_end(TaskId task, Ticks from, TaskId below);
  void forget(TaskId task);

  ChannelView& view_;
  Nest& nest_;
  CourseListener& listener_;
  const TaskNames& names_;
  UntiedTasks untied_;
  LiveTasks<TaskState> live_;  ///< started here and not complete
  std::vector<std::pair<TaskId, TaskId>>
      completed_;  ///< switched from without a record of their end, and what was current instead
  Ticks expiry_ = never;
};

}  // namespace tracer::translate
