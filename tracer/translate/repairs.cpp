// SPDX-License-Identifier: BSD-3-Clause
// The table of repairs, and its page.
#include "tracer/translate/repairs.hpp"

namespace tracer::translate {
namespace {

#define LOOK_AT_RUNTIME "A fault of the runtime: another version may be free of it"
#define ASK_MORE_MEMORY \
  "`TRACER_RING_SIZE` and `TRACER_MEMORY` larger, `TRACER_RECORD` with less, `TRACER_ON_FULL=wait`"

// clang-format off
constexpr std::array<RepairRow, repair_count> rows{{
    {Repair::events_lost, "places where events were lost",
     "the rings were full, or a flight recorder kept only the newest: a region `events lost` stands in their place", ASK_MORE_MEMORY},
    {Repair::region_closed_at_end_of_trace, "region closed at the end of the trace",
     "no end was recorded: it ends with the trace", "Usual for a run that was killed or called `_exit` in it"},
    {Repair::parallel_closed_at_end_of_trace, "parallel region closed at the end of the trace",
     "its end was not recorded: it is joined at the end of the trace", "Usual for a run that was killed or called `exit` in it"},
    {Repair::lock_released_at_end_of_trace, "lock released at the end of the trace",
     "its release was not recorded", "Is the lock released in the program? Usual for a run that was killed"},
    {Repair::task_never_ran, "task that never ran ended with its team",
     "it was created, and no thread ran it before the trace ends: it begins and completes, for no time, at its team's end", "Usual for a run that was killed"},
    {Repair::parallel_without_team, "parallel region without a team left out",
     "the trace ends right behind its begin", ""},
    {Repair::region_closed_by_outer_end, "region closed by the end of the one around it",
     "its own end was not recorded", "libgomp's entry points do not report some ends"},
    {Repair::region_closed_by_task_end, "region closed by the end of its task",
     "its own end was not recorded; so do constructs that were cancelled", ""},
    {Repair::region_closed_by_team_end, "region closed by the end of its team",
     "its own end was not recorded; so do constructs that were cancelled", ""},
    {Repair::parallel_closed_by_outer_end, "parallel region closed by the end of the one around it",
     "its own end was not recorded: it is joined there", LOOK_AT_RUNTIME},
    {Repair::team_without_end, "team left without its end",
     "a thread's part of a team has no end: it ends with what is around it", "Usual where a thread is in a team when the program ends"},
    {Repair::task_closed_by_team_end, "task closed by the end of its team",
     "its completion was not recorded, or came after its team's end", "Usual for a run that was killed"},
    {Repair::lock_released_by_next_acquisition, "lock released where the next one has it",
     "its release was not recorded before another thread acquired it: it is released there", "A program that unlocks in another way than it locks, or one that destroys a lock that is held"},
    {Repair::event_moved, "event moved behind its predecessor",
     "its time was before that of the event before it on its thread: it has that time", "Many of them: is the processor's clock steady on this machine? `TRACER_CLOCK=system`"},
    {Repair::team_begin_of_master_supplied, "team begin of a master supplied",
     "the forking thread went on without beginning its part of the team: it begins there", LOOK_AT_RUNTIME},
    {Repair::joined_where_thread_goes_on, "region joined where its thread goes on",
     "the forking thread went on behind the end of its team without an end of the region: it is joined there", LOOK_AT_RUNTIME},
    {Repair::end_without_begin, "end without a begin ignored",
     "nothing of the kind was open", "Recording began, or was resumed, within it; else a fault of the runtime"},
    {Repair::second_end_of_parallel, "second end of a parallel region ignored",
     "no region was open on the thread", "Code of GCC in `teams` does so"},
    {Repair::team_begin_without_region, "team begin without its region ignored",
     "a thread began its part in a team of its own that it had not forked: it goes on as what it was", LOOK_AT_RUNTIME},
    {Repair::parallel_without_id, "parallel regions without an id",
     "a region whose id no thread gave, or another one: left out", LOOK_AT_RUNTIME},
    {Repair::id_out_of_range, "ids out of range",
     "an id further from the first of its thread than the trace has records for", "The raw trace is damaged"},
    {Repair::release_without_acquisition, "release of a lock that was not held ignored",
     "its region remains, without the event of the lock", "Recording began while it was held; else a fault of the program"},
    {Repair::section_outside_sections, "section outside sections ignored",
     "a section was reported outside `sections`", LOOK_AT_RUNTIME},
    {Repair::worksharing_outside_teams, "worksharing of a worker outside all teams left out",
     "a worker reported a loop between its teams", LOOK_AT_RUNTIME},
    {Repair::dependences_of_no_task, "dependences of no task ignored",
     "no task was created before them, and they are of no loop", LOOK_AT_RUNTIME},
    {Repair::dependences_left_out, "dependences of a task left out",
     "it names more than 200 of a kind, or about 250 in all: those beyond are no attributes of its creation, and on libgomp the longest path lacks them", ""},
    {Repair::mpi_event_unknown, "MPI event of an unknown communicator left out",
     "the journal's communicators do not contain this one; the call remains as a region", "The raw trace is damaged, or its beginning was lost"},
    {Repair::task_created_after_team, "task created after the end of its team left out",
     "a region `create task` remains", LOOK_AT_RUNTIME},
    {Repair::task_without_creation, "switch to a task nobody created",
     "the task has no region", "Its creation was lost, or was not recorded"},
    {Repair::switch_to_task_elsewhere, "switch to a task that does not run here ignored",
     "another thread already runs it, its team has ended, or it was never created: the thread stays with the task it ran", LOOK_AT_RUNTIME},
    {Repair::switch_from_other_task, "switch from a task that was not current",
     "the thread is switched to that task first", LOOK_AT_RUNTIME},
    {Repair::switch_from_task_with_open_team, "switch from a task whose team has not ended ignored",
     "a task that waits for a team which it made cannot leave", LOOK_AT_RUNTIME},
    {Repair::switch_to_task_with_open_team, "switch to a task whose team has not ended ignored",
     "a task that waits for a team which it made cannot go on", LOOK_AT_RUNTIME},
    {Repair::end_of_wait_that_was_no_task, "end of a wait that was no task's ignored",
     "`taskwait depend` ended by the number of a task that is no wait", LOOK_AT_RUNTIME},
    {Repair::task_left_out, "task of threads that contradict each other left out",
     "it was not created, begun and completed once and in this order: what its threads did in it remains, as theirs", LOOK_AT_RUNTIME},
    {Repair::team_left_out, "parallel region of threads that contradict each other left out",
     "its members did not begin and end it once, between its fork and its join: it has no team, and what its threads did in it remains", LOOK_AT_RUNTIME},
    {Repair::lock_left_out, "lock of threads that contradict each other left out",
     "two threads had it at once, or it was not acquired and released in turn: its regions remain, without the events of the lock", LOOK_AT_RUNTIME},
    {Repair::mpi_left_out, "MPI events that contradict each other left out",
     "a request that did not begin and end once, or a call without its end: the calls remain as regions", "The raw trace is damaged"},
    {Repair::devices_left_out, "device operations that contradict each other left out",
     "the device's records and the host's requests do not match: the host's calls remain as regions", "The raw trace is damaged"},
    {Repair::barrier_not_together, "barrier that a thread left before all had come",
     "the archive has the times that were recorded", LOOK_AT_RUNTIME},
    {Repair::construct_not_once, "single or section that was not executed once",
     "no thread of the team executed it, or several did: the archive has what was recorded", LOOK_AT_RUNTIME},
    {Repair::range_without_end, "range that never ended closed",
     "the program began a range (NVTX, ITT, Kokkos, ROCTx) and never ended it: it ends with the region around it, or with the trace", "Look where the program leaves the range: an early return, an exception"},
    {Repair::range_end_without_begin, "range end without its begin ignored",
     "the program ended a range that was not open", "Look for one end too many in the program"},
    {Repair::range_left_out, "overlapping range left out",
     "more than 256 ranges of a domain were open at once", ""},
}};
// clang-format on

constexpr bool is_complete() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].repair) != i || rows[i].meaning[0] == 0) return false;
  return true;
}
static_assert(is_complete(), "one row per Repair, in order");

}  // namespace

const std::array<RepairRow, repair_count>& repair_table() noexcept {
  return rows;
}

bool Repairs::are_unusual() const noexcept {
  for (const RepairRow& row : rows) {
    if ((*this)[row.repair] == 0) continue;
    switch (row.repair) {
      case Repair::events_lost:
      case Repair::region_closed_at_end_of_trace:
      case Repair::parallel_closed_at_end_of_trace:
      case Repair::lock_released_at_end_of_trace:
      case Repair::task_never_ran:
      case Repair::parallel_without_team:
      case Repair::lock_released_by_next_acquisition:
      case Repair::dependences_left_out:
      case Repair::range_without_end:
      case Repair::range_end_without_begin:
      case Repair::range_left_out:
        continue;
      default:
        return true;
    }
  }
  return false;
}

std::map<std::string, std::uint64_t> Repairs::by_name() const {
  std::map<std::string, std::uint64_t> names;
  for (const RepairRow& row : rows)
    if (const std::uint64_t count = (*this)[row.repair]; count != 0) names.emplace(row.name, count);
  return names;
}

std::string repairs_page() {
  std::string page =
      "# Repairs\n\n<!-- Written by `tracer manual --repairs`; do not edit. -->\n\n"
      "Conversion writes a valid archive whatever was recorded (`tracer check`). For that it may repair or leave out "
      "events.\nThe property `TRACER::REPAIRED::<name>` counts each repair; `tracer info` and `tracer report` show it. "
      "A run that was\nkilled has some of the first six, which is usual. [Devices](devices.md) describes repairs of "
      "device records.\n\n"
      "| name | what was found, and what the archive has | what to do |\n|---|---|---|\n";
  for (const RepairRow& row : rows)
    page += std::string("| `") + row.name + "` | " + row.meaning + " | " + row.advice + " |\n";
  return page;
}

}  // namespace tracer::translate
