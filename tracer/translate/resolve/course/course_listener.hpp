// SPDX-License-Identifier: BSD-3-Clause
// What happens to the teams and tasks of a thread, as was decided: each begin once, each end behind its begin, each
// task switched to only where it can run. The writing makes events of it, and need not check whether it may.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/translate/resolve/course/nest.hpp"

namespace tracer::translate {

/// Called by TeamCourse and TaskCourse, on the location's thread, in the order of the events. Times may lie before the
/// last event's, which then gives the time.
class CourseListener {
 public:
  /// The thread requests that many threads, itself among them.
  virtual void forked(std::uint32_t threads, Nanoseconds t) = 0;
  /// The innermost part of the nest has begun, in this team; nullptr: in none of the archive.
  virtual void part_begun(const ParallelInstance* team, Nanoseconds t) = 0;
  /// The team's region is all that is open in `part`, which ends.
  virtual void team_ended(Part& part, Nanoseconds t) = 0;
  /// The forking thread was in its team for no time: neither its begin nor anything in it was recorded.
  virtual void team_passed(const ParallelInstance& team, Nanoseconds t) = 0;
  /// The region is over, and no longer in the nest.
  virtual void joined(const ParallelInstance& team, Nanoseconds t) = 0;

  virtual void switched(const TaskName& to, Nanoseconds t) = 0;
  /// Behind switched() to it, the first time.
  virtual void task_begun(TaskState& task, const RegionKey& region, Nanoseconds t) = 0;
  /// Nothing is open in it.
  virtual void completed(const TaskName& task, Nanoseconds t) = 0;

  /// The innermost regions of a stack end, so many.
  virtual void left(RegionStack& open, std::size_t regions, Nanoseconds t) = 0;

  /// False in a pause: nothing of it is in the archive.
  virtual bool is_recording() const = 0;
  /// Of the last event.
  virtual Nanoseconds last() const = 0;

 protected:
  ~CourseListener() = default;
};

}  // namespace tracer::translate
