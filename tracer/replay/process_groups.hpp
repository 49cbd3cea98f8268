// SPDX-License-Identifier: BSD-3-Clause
// Which of an archive's location groups are processes, and whose its locations are: from the definitions alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// By location group: whether a part of some processes (--ranks) has none of its locations. One that has none at all,
/// as a process that left no events, is not left out.
std::vector<bool> groups_left_out(const Definitions& definitions);

/// The location groups that are processes, in the archive's order.
std::vector<std::uint32_t> process_groups(const Definitions& definitions);

/// The process that each location belongs to, in the order of the archive's processes: devices are of the one that made
/// them. With a single process everything is.
std::vector<std::uint32_t> processes_of_locations(const Definitions& definitions);

/// The location's name, after its process' where there are several.
std::string name_in_job(const Definitions& definitions, LocationRef location);

}  // namespace tracer::report
