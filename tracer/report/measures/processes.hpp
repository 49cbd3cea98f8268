// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job: which threads and streams are whose, what they did, and how each ended.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/replay/process_groups.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// In the order of the archive's location groups, without those left out, from the rows of its threads. A device
/// belongs to the process that made it.
std::vector<ProcessRow> processes_of(const Definitions& definitions, const std::vector<ThreadRow>& threads);

/// Finds processes by their location groups.
class ProcessesByGroup {
 public:
  /// The rows outlive it.
  explicit ProcessesByGroup(const std::vector<ProcessRow>& rows) {
    for (const ProcessRow& row : rows) rows_[row.group] = &row;
  }
  /// nullptr: none is of that group.
  const ProcessRow* find(std::uint32_t group) const {
    const auto found = rows_.find(group);
    return found == rows_.end() ? nullptr : found->second;
  }
  std::string name_or(std::uint32_t group, const std::string& otherwise) const {
    const ProcessRow* const row = find(group);
    return row == nullptr ? otherwise : row->name;
  }

 private:
  std::unordered_map<std::uint32_t, const ProcessRow*> rows_;
};

/// Processors that the processes of a host may use together: bound ones have theirs each, others share all. 0: unknown.
double processors_of(const std::vector<const RunFacts*>& of_host);

/// Whether they run more than one program, as far as recorded.
bool has_several_programs(const std::vector<ProcessRow>& processes);

/// Of their threads' work.
Balance balance_of_processes(const std::vector<ProcessRow>& processes);

/// A device's name, before that of the process that uses it where there are several.
std::string name_in_job(const Report& report, const DeviceRow& device);

/// The process whose end explains most of the others': that called MPI_Abort; that was killed by a signal that
/// launchers do not send; that ended itself by _exit with a status that is not 0, or was killed by SIGKILL; whose end
/// is unknown; that was killed otherwise; that gave an exit status that is not 0. Of several the earliest. Else the
/// first process. nullptr: no end is known.
const ProcessRow* process_that_ended_worst(const std::vector<ProcessRow>& processes);

/// Of the run as a whole: the archive's own facts, or else those of its processes.
RunFacts facts_of_all(const Definitions& definitions, const std::vector<ProcessRow>& processes);

/// "exit status 0"; of a job "MPI Rank 3: exit status 1", unless all ended well. `all`: of facts_of_all().
std::string ending_text(const RunFacts& all, const std::vector<ProcessRow>& processes);

}  // namespace tracer::report
