// SPDX-License-Identifier: BSD-3-Clause
// What the first pass finds out: the tables that need the whole picture before a single event can
// be written. Ids are (channel, counter), so every table is a vector per channel and no look-up hashes.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/record.hpp"
#include "tracer/record_table.hpp"
#include "tracer/translate/constructs.hpp"
#include "tracer/translate/entities.hpp"
#include "tracer/translate/lock_log.hpp"

namespace tracer::translate {

inline constexpr Ticks never = std::numeric_limits<Ticks>::max();

/// One execution of a parallel region or of a league.
struct ParallelInstance {
  ParallelId id = no_id;
  TaskId task = no_id;  ///< the explicit one that encountered it
  std::uint64_t codeptr = 0;
  Ticks begin = 0;
  Ticks end = 0;                                            ///< 0: never seen
  Ticks join_wait_end = 0, join_end = 0, implicit_end = 0;  ///< the master's; 0: never seen
  Ticks limit =
      0;  ///< when its members have left it: the end of the master, or of a region around it; set by link_teams()
  std::uint32_t requested = 0;
  std::uint32_t size = 0;
  std::uint32_t enclosing = none;  ///< implicit instance on the same channel
  std::uint32_t members = none;    ///< first index into Tables::members
  CommRef comm = undefined_ref;
  bool league = false;
  bool in_pause = false;  ///< began while recording was paused, and ended before it went on, if ever: it is left out
  bool alone = false;  ///< what its other members do contradicts it: it is the forking thread's alone, see rehearse()
};

/// One thread's part in a team: an implicit task, or an initial task.
struct ImplicitInstance {
  ParallelId parallel = no_id;
  TaskId task = no_id;
  Ticks begin = 0;
  Ticks end = 0;  ///< 0: never seen
  std::uint32_t rank = 0;
  std::uint32_t size = 0;
  std::uint32_t outer = none;  ///< the implicit instance around it on this channel
  Ticks last_task = 0;         ///< when an explicit task last came to run in it
  std::uint64_t tasks = 0;     ///< the ids of tasks created in it less those that ended, as a sum
  bool initial = false;
  bool joins = false;     ///< another thread's team: whatever this thread was in is over
  bool supplied = false;  ///< a fork's thread went on without it: see Scanner::settle()
  bool creates_tasks = false;
};

/// An acquisition that the next one of its lock ends, or the end of the trace, if its release has not come by then.
struct OverdueRelease {
  Ticks time = never;                                ///< never: the end of the trace
  std::uint32_t acquisition = none, release = none;  ///< operations of the channel; none: no release
  LockOperation operation;
};

/// A suspension or resumption of an untied task that goes on with another thread.
struct Migration {
  Ticks time = 0;
  TaskId task = no_id;
  bool in = false;  ///< it arrives here (again); else it leaves
};

/// An untied task ended here, and another thread told it: of those that have run its parts, libomp lets the last that
/// comes back from one tell it, which need not be the one that ran the last.
struct UntoldEnd {
  TaskId task = no_id;
  Ticks time = 0;  ///< when it was told
};

struct AddressRange {
  std::uint64_t begin = 0, end = 0;
  bool contains(std::uint64_t address) const noexcept { return address - begin < end - begin; }
};

/// A position inside the runtime says nothing and becomes 0: where the compiler made a tail call of
/// the runtime's function, libomp sees its own caller. For a taskloop and the tasks it makes libomp
/// (to 22) always gives its own: the taskgroup around it, which has the program's, stands in.
/// Both passes show every record to this before they look at it.
class PositionMender {
 public:
  explicit PositionMender(AddressRange runtime) : runtime_(runtime) {}
  /// Calls body with the record, or with a mended copy of it.
  template <class Body>
  void mend(const Record& r, Body&& body) {
    if (r.kind == RecordKind::sync_region && r.sub == taskgroup) note_taskgroup(r);
    if (!runtime_.contains(r.c) || !has_position(r.kind)) return body(r);
    Record mended = r;
    mended.c = r.kind == RecordKind::work || r.kind == RecordKind::task_create ? innermost_taskgroup() : 0;
    body(mended);
  }

 private:
  static constexpr std::uint16_t taskgroup = 6;  // ompt_sync_region_t
  static constexpr bool has_position(RecordKind kind) noexcept {
    return record_table[static_cast<std::size_t>(kind)].c == "codeptr_ra" || kind == RecordKind::more;
  }
  /// A task that runs where it is made has taskgroups of its own, which end before the next is made.
  void note_taskgroup(const Record& r) {
    if (r.endpoint == Endpoint::begin) {
      if (taskgroups_.size() < deepest) taskgroups_.push_back(runtime_.contains(r.c) ? 0 : r.c);
    } else if (!taskgroups_.empty()) {
      taskgroups_.pop_back();
    }
  }
  std::uint64_t innermost_taskgroup() const { return taskgroups_.empty() ? 0 : taskgroups_.back(); }

  static constexpr std::size_t deepest = 4096;  // of a damaged trace
  AddressRange runtime_;
  std::vector<std::uint64_t> taskgroups_;
};

/// Extends the half of a task's counter that its creation record has room for: creations of a channel
/// are in the order of their counters. Both passes must come to the same ids.
class TaskCounter {
 public:
  std::uint64_t extend(std::uint32_t low) noexcept {
    std::uint64_t counter = (last_ & ~std::uint64_t{0xffffffffu}) | low;
    if (counter + 0x80000000u < last_) counter += std::uint64_t{1} << 32;
    return last_ = counter;
  }

 private:
  std::uint64_t last_ = 0;
};

/// omp_control_tool's start, pause and end, which hold for all threads.
struct Toggle {
  Ticks time = 0;
  bool recording = true;
};

/// Found by reading one channel alone.
struct ChannelScan {
  Entities entities;
  std::vector<ParallelInstance> parallels;
  std::vector<ImplicitInstance> implicits;
  std::vector<RegionKey> sites;  ///< dense, as found
  LockLog lock_log;              ///< until link_locks() has made of it:
  LockOrders lock_orders;
  std::vector<OverdueRelease> overdue;  ///< in order of time
  struct UntiedSwitch {
    TaskId task;
    Ticks time;
    ChannelId channel;
    enum : std::uint8_t { suspends, resumes, completes } does;
  };
  std::vector<UntiedSwitch> untied;
  std::vector<Migration> migrations;
  std::vector<UntoldEnd> untold_ends;  ///< in order of task and time
  std::vector<Toggle> toggles;
  std::uint64_t tasks_ended = 0;  ///< explicit ones, as seen here, created anywhere
  /// Tasks that came to run here less those that left, as a sum of their ids; 0 when each that came left.
  std::uint64_t tasks_left_over = 0;
  std::uint64_t tasks_outside = 0;  ///< as ImplicitInstance::tasks, in no implicit task
  bool runs_tasks_outside = false;
  bool tasks_out_of_order = false;  ///< one left that was not the one that had come last
  bool ends_in_task = false;
  bool teams_out_of_order = false;  ///< a begin or end of a region or team was missing, or one too many
  /// Tasks created here that nobody ever ran (the trace ends before), by their creator's implicit instance.
  std::vector<std::pair<std::uint32_t, TaskId>> unstarted;
  std::vector<std::uint32_t> dependence_types;  ///< by type, most dependences that one task has; empty: none
  std::array<std::uint64_t, static_cast<std::size_t>(RecordKind::count_)> kinds{};  ///< records per kind
  std::uint64_t work_types = 0, target_types = 0;  ///< bit n: kind n (below 64) was seen
  std::vector<std::uint32_t> messages;             ///< journal strings of error directives
  bool chunks = false;                             ///< dispatch of loop or taskloop chunks
  bool other_commands = false;                     ///< omp_control_tool beyond those with a meaning
  std::uint64_t records = 0;
  Ticks first = 0, last = 0;
  std::map<std::string, std::uint64_t> notes;  ///< what was odd, counted
};

struct Member {
  ChannelId channel = none;
  std::uint32_t implicit = none;
};

class RegionTable;  // regions.hpp

/// Everything the second pass looks up. Read-only by then.
struct Tables {
  Tables();
  ~Tables();
  std::vector<ChannelScan> channels;
  std::vector<Member> members;
  std::vector<LocationRef> location_of;  ///< by channel
  std::vector<ChannelId> channel_of;     ///< by location (CPU threads only)
  std::vector<CommRef> root_comm;        ///< by channel: the team of one around an initial task, or undefined
  /// By channel and counter: when an explicit task begins to run, never for one that does not, 0 for one that was
  /// created when its team had ended, and is left out. Only where the records of tasks contradict each other or are not
  /// all there (link_tasks()); else empty.
  std::vector<std::vector<Ticks>> task_begins;
  std::unique_ptr<RegionTable> regions;
  std::vector<Toggle> toggles;  ///< of all threads, in order
  AddressRange runtime;         ///< of the OpenMP runtime's code; empty: unknown
  Ticks begin = 0, end = 0;     ///< of the run

  /// Recording is off at `from`, and stays so until after `to`.
  bool paused(Ticks from, Ticks to) const noexcept {
    bool on = true;
    for (const Toggle& t : toggles) {
      if (t.time > to) break;
      if (t.time > from && t.recording && !on) return false;
      on = t.recording;
      if (t.time > from && !on) return false;
    }
    return !on;
  }

  std::optional<Entity> entity(std::uint64_t id) const noexcept {
    const ChannelId channel = tracer::channel_of(id);
    if (id == no_id || channel >= channels.size()) return {};
    const auto& entities = channels[channel].entities;
    const std::uint64_t counter = counter_of(id);
    return counter < entities.size() ? std::optional(entities.get(counter)) : std::nullopt;
  }
  const ParallelInstance* parallel(ParallelId id) const noexcept {
    const std::optional<Entity> e = entity(id);
    if (!e || e->site != none || e->index == none) return nullptr;
    const auto& parallels = channels[tracer::channel_of(id)].parallels;
    return e->index < parallels.size() && parallels[e->index].id == id ? &parallels[e->index] : nullptr;
  }
  /// The part in a team in which an implicit task is: its own, or one around it; nullptr: outside all teams.
  const ImplicitInstance* part_of(ChannelId channel, std::uint32_t index) const noexcept {
    const auto& implicits = channels[channel].implicits;
    while (index < implicits.size() && parallel(implicits[index].parallel) == nullptr) index = implicits[index].outer;
    return index < implicits.size() ? &implicits[index] : nullptr;
  }
  ParallelInstance* parallel(ParallelId id) noexcept {
    return const_cast<ParallelInstance*>(static_cast<const Tables*>(this)->parallel(id));
  }
};

}  // namespace tracer::translate
