// SPDX-License-Identifier: BSD-3-Clause
// Events as bytes, for the state of a moment of a trace that is kept (part_state.hpp), and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer::report {

/// Without its time.
void put_event(std::string& out, const Event& event, std::span<const EventAttribute> attributes);

/// Refuses events that open nothing, and those of what the trace does not define.
Event get_event(BytesIn& in, const Definitions& definitions, std::vector<EventAttribute>& attributes);

}  // namespace tracer::report
