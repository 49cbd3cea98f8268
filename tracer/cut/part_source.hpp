// SPDX-License-Identifier: BSD-3-Clause
// A trace seen as a part of it (part.hpp): what reaches beyond the part's ends is cut there, what lies outside is left
// out.
#pragma once

#include <memory>

#include "tracer/cut/part.hpp"
#include "tracer/cut/part_state.hpp"
#include "tracer/event_source.hpp"

namespace tracer::report {

/// References and times are those of `source`, which must outlive the result. Locations that are not of the part are
/// not `used`; groups of OpenMP's have no members there. Throws tracer::Error where there is no such part: it begins
/// behind the trace's end, or has no location.
/// `find_start`, when it is not empty, returns where reading can begin; the events are the same.
std::unique_ptr<EventSource> part_of(EventSource& source, const Part& part, FindPartStart find_start = {});

}  // namespace tracer::report
