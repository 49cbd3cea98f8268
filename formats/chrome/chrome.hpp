// SPDX-License-Identifier: BSD-3-Clause
// Writes a timeline as Chrome's trace event JSON, for chrome://tracing, Perfetto and many scripts.
#pragma once

#include <iosfwd>
#include <memory>
#include <ostream>

#include "tracer/timeline.hpp"

namespace tracer {

/// Complete events ("X") with microseconds to three decimals since the trace's start, flow events,
/// counters, names as metadata. Nothing is kept but what is open.
std::unique_ptr<TimelineVisitor> make_chrome_writer(const Definitions& definitions, std::ostream& out);

}  // namespace tracer
