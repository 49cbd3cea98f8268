// SPDX-License-Identifier: BSD-3-Clause
// Writes a timeline in Perfetto's trace format, for https://ui.perfetto.dev and its trace processor.
#pragma once

#include <iosfwd>
#include <memory>
#include <ostream>

#include "tracer/timeline.hpp"

namespace tracer {

/// One track per thread and stream, arrows as flows, metrics as counter tracks. Names are interned;
/// nothing is kept but what is open. Errors show in the state of `out`.
std::unique_ptr<TimelineVisitor> make_perfetto_writer(const Definitions& definitions, std::ostream& out);

}  // namespace tracer
