// SPDX-License-Identifier: BSD-3-Clause
// The facts in a channel's own records: found by reading it alone, changed by nobody but resolve/.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/ids.hpp"
#include "tracer/record.hpp"
#include "tracer/translate/regions/constructs.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/scan/entities.hpp"
#include "tracer/translate/scan/growing_table.hpp"
#include "tracer/translate/scan/lock_log.hpp"
#include "tracer/translate/scan/unplaced_loop.hpp"
#include "tracer/translate/scan/untied_log.hpp"

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
      0;  ///< when its members have left it: the end of the master, or of a region around it; set by form_teams()
  std::uint32_t requested = 0;
  std::uint32_t size = 0;
  std::uint32_t enclosing = none;    ///< implicit instance on the same channel
  std::uint32_t fork_around = none;  ///< the thread's region before it that was not joined, in its parallels
  std::uint32_t members = none;      ///< first index into Tables::members
  CommRef comm = undefined_ref;
  bool league = false;
  bool left_out = false;   ///< Exclusions
  bool in_pause = false;   ///< began while recording was paused, and ended before it went on, if ever: it is left out
  std::uint8_t depth = 1;  ///< of teams around it and itself, 255 and more; set by form_teams()
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
  bool own = false;          ///< of the region that this thread forked last
  bool joins = false;        ///< another thread's team: whatever this thread was in is over
  bool synthesized = false;  ///< a fork's thread went on without it: see Scanner::complete_team_boundary()
  bool creates_tasks = false;
};

/// omp_control_tool's start, pause and end, which hold for all threads.
struct Toggle {
  Ticks time = 0;
  bool recording = true;
  bool is_final = false;  ///< the end: nothing behind it counts
};

/// A range of the program's own words that may end anywhere, or its end.
struct RangeEdge {
  Ticks time = 0;
  std::uint64_t id = 0;
  std::uint64_t name = 0;  ///< word_name()
  std::uint64_t payload = 0;
  std::uint32_t details = 0;  ///< journal string, 0 none
  std::uint16_t sub = 0;      ///< the record's
  bool begins = true;
};

/// A counter of the program's own words.
struct CounterKey {
  std::uint64_t name = 0;  ///< word_name()
  std::uint32_t unit = 0;  ///< journal string, 0 none
  std::uint16_t sub = 0;   ///< language and type of its values
  auto operator<=>(const CounterKey&) const = default;
};
constexpr CounterKey counter_key(const Record& r) noexcept {
  return {word_name(r), static_cast<std::uint32_t>(r.b >> 32), r.sub};
}

/// The program's annotations (NVTX, ITT, Kokkos, ROCTx).
struct WordFacts {
  std::uint64_t pushes = 0;
  bool correlates = false;                  ///< calls that devices' operations are tied to
  std::vector<RangeEdge> edges;             ///< in order of time
  std::vector<std::uint32_t> details;       ///< journal strings, each once
  std::unordered_set<std::uint32_t> texts;  ///< journal strings that are payloads
  std::vector<CounterKey> counters;         ///< each once
};

/// Found by reading one channel alone.
struct ChannelScan {
  ChannelScan() = default;
  /// `spill`: where tables that grow with the run lie (growing_table.hpp); nullptr: in memory.
  explicit ChannelScan(SpillFile* spill) : entities(spill), parallels(spill), implicits(spill), unplaced_loops(spill) {}
  /// The thread contradicts itself, or records of it are missing.
  bool is_out_of_order() const noexcept { return teams_out_of_order || tasks_out_of_order; }

  Entities entities;
  std::uint64_t counter_near = 0;  ///< by which TaskCounter finds the channel's tasks
  GrowingTable<ParallelInstance> parallels;
  GrowingTable<ImplicitInstance> implicits;
  GrowingTable<UnplacedLoop> unplaced_loops;  ///< in order of their begins
  std::vector<RegionKey> sites;               ///< dense, as found
  LockLog lock_log;                           ///< until order_locks() has read it
  UntiedLog untied;                           ///< until follow_untied_tasks() has read it
  std::vector<Toggle> toggles;
  std::uint64_t tasks_ended = 0;  ///< explicit ones, as seen here, created anywhere
  /// Tasks that came to run here less those that left, as a sum of their ids; 0 when each that came left.
  std::uint64_t tasks_left_over = 0;
  std::uint64_t tasks_outside = 0;  ///< as ImplicitInstance::tasks, in no implicit task
  bool runs_tasks_outside = false;
  bool tasks_out_of_order = false;  ///< one left that was not the one that had come last
  bool ends_in_task = false;
  bool teams_out_of_order = false;              ///< a begin or end of a region or team was missing, or one too many
  std::vector<std::uint32_t> dependence_types;  ///< by type, most dependences that one task has; empty: none
  std::array<std::uint64_t, static_cast<std::size_t>(RecordKind::count_)> kinds{};  ///< records per kind
  std::uint64_t work_types = 0, target_types = 0;  ///< bit n: kind n (below 64) was seen
  std::vector<std::uint32_t> messages;             ///< journal strings of error directives
  std::vector<Ticks> failed_collectives;           ///< CollectiveCalls
  bool chunks = false;                             ///< dispatch of loop or taskloop chunks
  bool has_content = false;                        ///< copies between host and devices have hashes of their content
  bool counts_chunks = false;                      ///< of loops: how many chunks a thread was given
  bool other_commands = false;                     ///< omp_control_tool beyond those with a meaning
  std::uint64_t records = 0;
  std::uint64_t lost = 0;  ///< events that are missing, by the `lost` records or by the journal, which may know of more
  Ticks first = 0, last = 0;
  WordFacts words;
  Repairs repairs;  ///< what was odd, counted
};

}  // namespace tracer::translate
