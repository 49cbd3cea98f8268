// SPDX-License-Identifier: BSD-3-Clause
// Who is in a communicator.
#pragma once

#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// The locations of each comm: a group of indices into its paradigm's comm_locations.
std::vector<std::vector<LocationRef>> comm_members(const Definitions& definitions);

}  // namespace tracer::report
