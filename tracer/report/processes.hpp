// SPDX-License-Identifier: BSD-3-Clause
// The processes of a job: which threads and streams are whose, what they did, and how each ended.
#pragma once

#include "tracer/report/report.hpp"

namespace tracer::report {

/// In the order of the archive's location groups, from the rows of its threads. A device belongs to the process that
/// made it.
std::vector<ProcessRow> processes_of(const Definitions& definitions, const std::vector<ThreadRow>& threads);

/// The process that each location belongs to, in the order of the archive's processes: devices are of the one that made
/// them. With a single process everything is.
std::vector<std::uint32_t> processes_of_locations(const Definitions& definitions);

/// Of their threads' work.
Balance balance_of_processes(const std::vector<ProcessRow>& processes);

/// The location's name, after its process' where there are several.
std::string name_in_job(const Definitions& definitions, LocationRef location);

/// Of the run as a whole: what the archive says of it, or else what it says of its processes.
RunFacts facts_of_all(const Definitions& definitions, const std::vector<ProcessRow>& processes);

}  // namespace tracer::report
