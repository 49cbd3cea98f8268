// SPDX-License-Identifier: BSD-3-Clause
// Single events with all of their details.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "tracer/index/trace_index.hpp"

namespace tracer::view {

/// Those of a location from `from` to `to`, both since `origin`, at most `most`: [{time, type, what: {name: value}}].
nlohmann::json events_of(index::TraceIndex& index, LocationRef location, std::uint64_t origin, std::uint64_t from,
                         std::uint64_t to, std::uint64_t most);

/// Whether a call of that name sends a message, or has one received.
bool is_call_of(const Definitions& definitions, RegionRef region, bool is_send);

/// The innermost region at the time of an event. Where one ends as another begins: the one that fits to the event.
std::optional<index::Slice> slice_with(index::TraceIndex& index, LocationRef location, std::uint64_t time,
                                       EventType event);

}  // namespace tracer::view
