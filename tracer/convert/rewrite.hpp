// SPDX-License-Identifier: BSD-3-Clause
// A trace that is read, written as an archive of its own: of a part, or filtered.
#pragma once

#include "tracer/event_sink.hpp"
#include "tracer/event_source.hpp"

namespace tracer {

/// Writes all events of `source` and its definitions. About 256 KiB of memory for each location. Throws tracer::Error.
/// Returns the number of events.
std::uint64_t rewrite(EventSource& source, EventSink& sink);

}  // namespace tracer
