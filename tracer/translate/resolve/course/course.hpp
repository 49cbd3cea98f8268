// SPDX-License-Identifier: BSD-3-Clause
// The way of one thread through its teams and tasks: what its records mean, in time and by what was decided over all
// threads, and what must have ended before each.
#pragma once

#include <algorithm>

#include "tracer/translate/resolve/course/task_course.hpp"
#include "tracer/translate/resolve/course/team_course.hpp"

namespace tracer::translate {

class Course {
 public:
  Course(ChannelView& view, Nest& nest, const TaskNames& names, CourseListener& listener)
      : tasks(view, nest, names, listener),
        teams(view, nest, tasks, listener),
        view_(view),
        nest_(nest),
        listener_(listener) {}

  /// Before this time a record has its own time, and nothing must end first. 0: the next record may require it,
  /// whatever its time.
  Ticks next_due() const noexcept {
    if (teams.is_at_boundary() || nest_.current->ends_unreported) return 0;
    const Ticks due = std::min(limit(), teams.on_time_until());
    return due != never ? due + 1 : never;  // until and with them
  }
  /// The time that is meant by the record.
  Ticks time_of(const Record& r) const noexcept;
  /// By when the innermost part, or a task outside its team, must have ended; never: nothing must.
  Ticks limit() const noexcept { return std::min(tasks.expiry(), nest_.limit()); }
  /// The current task is over without a record, if `r` is of what runs behind it. `time`: of the record, as meant.
  void end_unreported(const Record& r, Ticks time);
  /// The trace ends: so do all parts of teams, from `t` on. Returns when what is outside of them may end.
  Nanoseconds end_all(Nanoseconds t);
  /// What is open outside of all teams ends, too.
  void end_outside(Nanoseconds t);

  TaskCourse tasks;
  TeamCourse teams;

 private:
  ChannelView& view_;
  Nest& nest_;
  CourseListener& listener_;
};

}  // namespace tracer::translate
