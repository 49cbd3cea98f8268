// SPDX-License-Identifier: BSD-3-Clause
// What of a trace lies within the phases that the program named itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tracer/event_source.hpp"

namespace tracer::report {

/// `source` with those regions only that begin while a phase is open, somewhere in their process, whose name matches
/// one of `patterns` (with * and ?); they are whole. Counters are those of these times. Tasks, teams and locks stay.
/// What was counted over the whole run is left out.
/// Throws tracer::Error when no phase of the trace matches a pattern. `source` must outlive the result.
std::unique_ptr<EventSource> within_phases(EventSource& source, const std::vector<std::string>& patterns);

}  // namespace tracer::report
