// SPDX-License-Identifier: BSD-3-Clause
// Explicit tasks: which runs, and how each ends.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/live_tasks.hpp"
#include "tracer/translate/write/nest.hpp"
#include "tracer/translate/write/region_events.hpp"
#include "tracer/translate/write/task_names.hpp"
#include "tracer/translate/write/untied_tasks.hpp"

namespace tracer::translate {

class TaskEvents {
 public:
  TaskEvents(Context& context, Nest& nest, RegionEvents& regions, const TaskNames& names)
      : context_(context), nest_(nest), regions_(regions), names_(names), untied_(context.plan()) {}

  void schedule(const Record& r, Nanoseconds t);
  /// A task that cancellation keeps from running is switched to, for no time, so that every task created completes.
  /// `time`: of the record that says so; never: the trace ends.
  void discard(TaskId id, Ticks time, Nanoseconds t);
  /// Tasks that were never said to be complete end with their team, or with the thread's part of that in which they
  /// began.
  void close(Nanoseconds t, std::size_t depth, CommRef team);

  /// When the first task that runs outside its team must have ended.
  Ticks expiry() const noexcept { return expiry_; }
  void expire(Ticks when);

  /// The current task's end is not told, and the record is of what runs after it.
  bool is_over(const Record& r) const;
  void end_unreported(Nanoseconds t);

  /// Each task runs and completes by its own records: what else says that one is over is wrong.
  bool all_end() const noexcept { return context_.tables.task_begins.empty(); }
  /// Whether the task is said here first, and in time, to run. 0: it was created too late, and never does.
  bool begins_here(TaskId id, Ticks time) const;

 private:
  void fulfill(TaskId task, Nanoseconds t);
  void finish_taskwait(TaskId task, Ticks time, Nanoseconds t);
  TaskId returned_to(TaskId next, Ticks time);
  std::optional<TaskId> next_task(TaskId next, const Record& r, bool migrated_in);
  void switch_to(TaskId next, Nanoseconds t);
  void switch_to_implicit(Nanoseconds t);
  TaskState& begin(TaskId id);
  void limit(TaskState& task);
  void complete_current(Nanoseconds t);
  void close_task(TaskId id, Nanoseconds t);
  void expect_unreported_end(TaskId task, Ticks from, TaskId below);
  void forget(TaskId task);

  Context& context_;
  Nest& nest_;
  RegionEvents& regions_;
  const TaskNames& names_;
  UntiedTasks untied_;
  LiveTasks<TaskState> live_;                         ///< started here and not complete
  std::vector<std::pair<TaskId, TaskId>> completed_;  ///< said to be switched from, and what was current instead
  Ticks expiry_ = never;
};

}  // namespace tracer::translate
