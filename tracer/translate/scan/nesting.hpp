// SPDX-License-Identifier: BSD-3-Clause
// Which regions a channel's thread has forked and in which parts of teams it is, by its records in their order. The
// only machine that follows this: the scan makes its facts of it, the writing its events.
//
//     fork -> begin of this thread's part -> its end -> join        what a runtime gives
//
// Orders that no runtime should give are completed to that one: a thread that goes on behind a fork begins its part
// there, one that goes on behind its part's end joins there, and what ends takes with it what began inside.
//
// A thread may be in regions of several runtimes, each inside the other. It is outside of all teams once: the initial
// task of the first runtime. Another runtime's begins where that is first used, inside any region, and ends with the
// thread; it is no part. A runtime names as prior and next task what the thread runs for it alone: task_switch() gives
// what the thread leaves and goes to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/ids.hpp"
#include "tracer/record.hpp"

namespace tracer::translate {

/// A part of a team begins: an implicit or an initial task.
struct PartBegin {
  ParallelId team = no_id;   ///< the record's, or that of a league that it does not name
  bool joins = false;        ///< another thread's team: whatever this thread was in is over
  bool own = false;          ///< of the team that this thread forked last
  bool synthesized = false;  ///< the record of its begin did not come in time
};

/// Why a part ends or a region is joined.
enum class EndCause : std::uint8_t {
  recorded,                ///< by its own record
  thread_goes_on,          ///< the thread does something else behind it
  around_ends,             ///< what it is in ends, by its own record
  around_ends_unreported,  ///< or without one
};

class Nesting {
 public:
  /// What happens, in an order that a runtime could give; `r` is the record at which it does.
  class Listener {
   public:
    virtual void forked(const Record& r) = 0;
    virtual void begun(const PartBegin& part, const Record& r) = 0;
    /// The record of a synthesized part's begin came after all; parts count from the outermost.
    virtual void recorded(std::size_t part, const Record& r) = 0;
    virtual void ended(EndCause cause, const Record& r) = 0;   ///< the innermost part
    virtual void joined(EndCause cause, const Record& r) = 0;  ///< the innermost fork
    virtual void ignored(const Record& r) = 0;                 ///< an end of nothing
   protected:
    ~Listener() = default;
  };

  Nesting(ChannelId channel, Listener& listener) : channel_(channel), listener_(listener) {}

  /// The last thing was a fork, or the end of a part that is not joined.
  bool is_at_boundary() const noexcept { return !forks_.empty() && forks_.back().entered == forks_.back().left; }
  /// Before a record: it may show that the thread has continued.
  void complete_boundary(const Record& r);

  /// False: no thread could name a region so.
  bool parallel_begin(const Record& r);
  void parallel_end(const Record& r);
  void part_begin(const Record& r);
  void part_end(const Record& r);

  /// A record of tasks, with the tasks that the thread leaves and goes to: those of another runtime, where the
  /// runtime's own prior task has gone on to that. Shown each of them once, in order.
  Record task_switch(Record r);
  /// In which of the parts, from the outermost, the thread runs the task that creates another; there must be one.
  std::size_t part_of_creator(TaskId creator) const;

  /// A begin or end was missing so far, or one too many.
  bool is_out_of_order() const noexcept { return out_of_order_; }

 private:
  struct Fork {
    ParallelId id;
    std::size_t depth;     ///< parts that were open
    bool entered = false;  ///< this thread's part of the team has begun
    bool left = false;     ///< and has ended
  };
  struct Part {
    ParallelId team;
    TaskId task;
    bool own;
    bool synthesized;
    TaskId around;           ///< that ran when it began
    std::size_t interposed;  ///< how many there were
    bool is_unrecorded() const noexcept { return synthesized && task == no_id; }
  };
  /// A task of one runtime that came to run inside another's.
  struct Interposed {
    TaskId task;
    TaskId prior;   ///< its runtime's, which is not what the thread left
    TaskId around;  ///< but this
  };
  TaskId implicit() const noexcept { return parts_.empty() ? no_id : parts_.back().task; }
  bool is_beneath(TaskId task) const;
  ParallelId team_of(const Record& r) const noexcept;
  bool is_mine(std::uint64_t id) const noexcept { return tracer::channel_of(id) == channel_ && counter_of(id) != 0; }
  bool record_synthesized(const Record& r, ParallelId team);
  void begin(const PartBegin& part, TaskId task, const Record& r);
  void end_to(std::size_t depth, const Record& r);
  void end_innermost(EndCause cause, const Record& r);
  void join(EndCause cause, const Record& r);

  const ChannelId channel_;
  Listener& listener_;
  std::vector<Fork> forks_;  ///< regions that began here and have not ended
  std::vector<Part> parts_;
  std::vector<Interposed> interposed_;
  TaskId running_ = no_id;          ///< implicit or explicit
  std::vector<TaskId> within_;      ///< initial tasks that began in one of these, and are no parts
  std::size_t unrecorded_ = 0;      ///< of these, without the record of their begin
  std::vector<ParallelId> joined_;  ///< before the record of their end
  ParallelId last_forked_ = no_id;  ///< ids grow
  ParallelId league_ = no_id;       ///< forked here, without a part yet
  bool out_of_order_ = false;
};

}  // namespace tracer::translate
