// SPDX-License-Identifier: BSD-3-Clause
// Where a thread is, outermost first:
//
//     parts of teams    [initial] [team A, rank 2] [team B, rank 0]        Part
//     each with tasks    implicit   implicit -> explicit (current)         TaskState
//     each with open regions           parallel, for, barrier, ...         RegionStack
//
// and the regions that it has forked and not joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tracer/translate/resolve/course/region_stack.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// How events name a task.
struct TaskName {
  CommRef comm = undefined_ref;
  std::uint32_t rank = 0;
  std::uint64_t generation = 0;  ///< 0: an implicit task
};

struct TaskState : TaskName {
  TaskId id = no_id;
  std::size_t depth = 0;         ///< of the nest when it began here
  Ticks limit = never;           ///< by when it must have ended: its team's
  bool ends_unreported = false;  ///< by its limit (UnreportedEnd)
  TaskId below = no_id;          ///< what runs then
  std::size_t encountered = 0;   ///< of the thread's open parts in teams: those that began while it was current
  RegionStack open;
};

/// A thread's part in a team: an implicit or an initial task.
struct Part {
  const ImplicitInstance* instance;
  const ParallelInstance* parallel;  ///< nullptr: no team
  TaskState task;
  TaskState* outer;   ///< current before it began
  std::size_t forks;  ///< open forks when it began
  Ticks limit;        ///< by when it must have ended: the team's or an outer one's
  bool own = false;   ///< of the team that this thread forked last: TeamEvents sets it
};

struct OpenFork {
  ParallelId id;
  const ParallelInstance* parallel;
  bool entered = false;  ///< this thread's implicit task has begun
  bool left = false;     ///< and has ended
  bool joined = false;   ///< the join was written before it was recorded
};

class Nest {
 public:
  explicit Nest(CommRef around) { base.comm = around; }

  TaskState& implicit() noexcept { return parts.empty() ? base : parts.back().task; }
  bool in_explicit_task() const noexcept { return current != (parts.empty() ? &base : &parts.back().task); }
  Ticks limit() const noexcept { return parts.empty() ? never : parts.back().limit; }

  /// The last thing was a fork, or the end of a team that is not joined: to a reader they are one with the team's
  /// begin, and with the join.
  bool is_at_team_boundary() const noexcept {
    return !forks.empty() && !forks.back().joined && (forks.back().left || !forks.back().entered);
  }
  /// The thread is in no part of the region that it forked last, either before or behind it.
  bool is_outside_forked_team() const noexcept {
    return !forks.empty() && !forks.back().joined && (parts.empty() || parts.back().forks < forks.size());
  }
  /// False: a worker is between its teams, and does not share work. That is counted.
  bool takes_work(Repairs& repairs) const noexcept;
  /// The task waits for a team that it made, and can neither end nor go on before that.
  static bool encounters_team(const TaskState& task) noexcept { return task.encountered != 0; }
  /// Where the innermost team's region stands that has a position; 0: nowhere.
  std::uint64_t position() const noexcept;

  /// A part begins. `p`: its team; nullptr: none.
  void push(const ImplicitInstance* instance, const ParallelInstance* p, std::size_t open_forks);
  /// The innermost part has ended.
  void pop();
  /// A task is over: what it is around, or was current in it, has what is around it instead (wrong sequences).
  void replace(TaskState& gone) noexcept;

  std::deque<Part> parts;
  std::vector<OpenFork> forks;
  TaskState base;  ///< what a thread does that has no implicit task
  TaskState* current = &base;
  enum class ThreadKind : std::uint8_t { unknown, worker, root } kind = ThreadKind::unknown;

 private:
  RegionStack spare_;  ///< of the part that ended last: the next one has its memory
};

}  // namespace tracer::translate
