// SPDX-License-Identifier: BSD-3-Clause
// Single events with all that is told of them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "tracer/index/trace_index.hpp"

namespace tracer::view {

/// Those of a location from `from` to `to`, both since `origin`, at most `most`: [{time, type, what: {name: value}}].
nlohmann::json events_of(index::TraceIndex& index, LocationRef location, std::uint64_t origin, std::uint64_t from,
                         std::uint64_t to, std::uint64_t most);

}  // namespace tracer::view
