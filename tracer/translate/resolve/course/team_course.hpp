// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions and leagues of one thread: which fork, part and join is meant by a record, and when those end whose
// ends come late, or never.
#pragma once

#include <cstddef>

#include "tracer/translate/resolve/course/channel_view.hpp"
#include "tracer/translate/resolve/course/course_listener.hpp"
#include "tracer/translate/resolve/course/late_ends.hpp"
#include "tracer/translate/resolve/course/nest.hpp"
#include "tracer/translate/resolve/course/task_course.hpp"
#include "tracer/translate/scan/nesting.hpp"

namespace tracer::translate {

class TeamCourse final : Nesting::Listener {
 public:
  TeamCourse(ChannelView& view, Nest& nest, TaskCourse& tasks, CourseListener& listener)
      : view_(view), nest_(nest), tasks_(tasks), listener_(listener), nesting_(view.channel, *this) {}

  void parallel(const Record& r, Nanoseconds t);
  void part(const Record& r, Nanoseconds t);

  /// See Nesting.
  Record task_switch(const Record& r) { return nesting_.task_switch(r); }

  /// A fork and its team's begin are one to a reader, as are its end and the join: no event may come between. `r` is
  /// what comes now.
  void complete_boundary(const Record& r, Nanoseconds t) {
    now_ = t;
    nesting_.complete_boundary(r);
  }
  bool is_at_boundary() const noexcept { return nesting_.is_at_boundary(); }
  /// The same for an event without a record, at a boundary whose next record is still to come.
  void complete_boundary(Nanoseconds t);
  /// The record's time, or the master's when it came late.
  Ticks due(const Record& r) const noexcept { return nest_.parts.empty() ? r.time : late_time(r, nest_.parts.back()); }
  /// Up to this time due() is the record's time.
  Ticks on_time_until() const noexcept {
    return nest_.parts.empty() ? never : translate::on_time_until(nest_.parts.back());
  }
  /// Ends what must have ended by then.
  void end_by_limit(Ticks limit);
  /// All that is open at the trace's end is closed, from `t` on; what is outside of all teams may end at what it
  /// returns.
  Nanoseconds end_all(Nanoseconds t);
  /// Tasks of a creator (an implicit instance, or none) that nobody ever ran.
  void end_unstarted(std::uint32_t creator, Nanoseconds t);

 private:
  void forked(const Record& r) override;
  void begun(const PartBegin& part, const Record& r) override;
  void recorded(std::size_t, const Record&) override {}
  void ended(EndCause cause, const Record& r) override;
  void joined(EndCause cause, const Record& r) override;
  void ignored(const Record& r) override;

  void enter(const ImplicitInstance* instance, const ParallelInstance* p, bool own, Nanoseconds t);
  void enter_own(const ImplicitInstance* instance, Nanoseconds t);
  void join(Nanoseconds t) { join(t, t); }
  /// `of_part`: the master's part, where that never began.
  void join(Nanoseconds t, Nanoseconds of_part);
  class EndTimes;
  void join_to(std::size_t forks, const EndTimes& times, Nanoseconds latest, Repair why);
  void end_to(std::size_t depth, const EndTimes& times);
  void end_unreported_part(Nanoseconds t);
  Nanoseconds left_by(const Part& part, Nanoseconds t) const;
  void leave_join_barrier(const Part& part, Nanoseconds end);
  void close_part(Nanoseconds t, bool repaired);

  ChannelView& view_;
  Nest& nest_;
  TaskCourse& tasks_;
  CourseListener& listener_;
  Nesting nesting_;
  Nanoseconds now_ = 0;            ///< of the record that the nesting is shown
  std::size_t next_implicit_ = 0;  ///< of the channel's, in the order of their begins
};

}  // namespace tracer::translate
