// SPDX-License-Identifier: BSD-3-Clause
// Everything that the translator corrects in the records, or leaves out, and counts: an archive has it as
// TRACER::REPAIRED::<name>. docs/repairs.md is written from this table (tracer manual --repairs).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tracer::translate {

enum class Repair : std::uint8_t {
  // A run that was killed, lost events, or was recorded in part
  events_lost,
  region_closed_at_end_of_trace,
  parallel_closed_at_end_of_trace,
  lock_released_at_end_of_trace,
  task_never_ran,
  parallel_without_team,
  // Ends that are missing, or come late
  region_closed_by_outer_end,
  region_closed_by_task_end,
  region_closed_by_team_end,
  parallel_closed_by_outer_end,
  team_without_end,
  task_closed_by_team_end,
  lock_released_by_next_acquisition,
  event_moved,
  // Begins that are missing
  team_begin_of_master_supplied,
  joined_where_thread_goes_on,
  // What fits nowhere
  end_without_begin,
  second_end_of_parallel,
  team_begin_without_region,
  parallel_without_id,
  id_out_of_range,
  release_without_acquisition,
  section_outside_sections,
  worksharing_outside_teams,
  dependences_of_no_task,
  dependences_left_out,
  mpi_event_unknown,
  // Tasks that contradict themselves
  task_created_after_team,
  task_without_creation,
  switch_to_task_elsewhere,
  switch_from_other_task,
  switch_from_task_with_open_team,
  switch_to_task_with_open_team,
  end_of_wait_that_was_no_task,
  // Threads that contradict each other
  task_left_out,
  team_left_out,
  lock_left_out,
  mpi_left_out,
  devices_left_out,
  barrier_not_together,
  construct_not_once,
  // The program's own words
  range_without_end,
  range_end_without_begin,
  range_left_out,
  count_,
};

struct RepairRow {
  Repair repair;
  const char* name;     ///< in the archive, and for ever
  const char* meaning;  ///< what was found, and what the archive has instead
  const char* advice;   ///< what whoever sees it may do about it; "" for nothing
};

inline constexpr std::size_t repair_count = static_cast<std::size_t>(Repair::count_);
const std::array<RepairRow, repair_count>& repair_table() noexcept;

/// How often each was made.
class Repairs {
 public:
  void note(Repair repair, std::uint64_t times = 1) noexcept { counts_[static_cast<std::size_t>(repair)] += times; }
  void add(const Repairs& other) noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  std::uint64_t operator[](Repair repair) const noexcept { return counts_[static_cast<std::size_t>(repair)]; }
  /// Some mean more than that the trace ends, or lacks what a healthy one may lack.
  bool are_unusual() const noexcept;
  /// Those that were made at all, by name.
  std::map<std::string, std::uint64_t> by_name() const;

 private:
  std::array<std::uint64_t, repair_count> counts_{};
};

/// docs/repairs.md.
std::string repairs_page();

}  // namespace tracer::translate
