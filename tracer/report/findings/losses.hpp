// SPDX-License-Identifier: BSD-3-Clause
// What a trace lacks, in sentences: for the verdict, and for who shows a trace without one.
#pragma once

#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/replay/not_recorded.hpp"

namespace tracer::report {

/// How many events and records of devices are missing, why, and what to record the next one with; "" none is known.
/// `is_cut`: the program was killed.
std::string losses_text(const Definitions& definitions, const NotRecorded& lacks, bool is_cut);

/// All that is known to be missing.
std::vector<std::string> what_is_missing(const Definitions& definitions);

}  // namespace tracer::report
