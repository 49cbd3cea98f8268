// SPDX-License-Identifier: BSD-3-Clause
// What is typed to be searched for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tracer/event.hpp"

namespace tracer::view {

/// "critical @solve.c:88 longer than 1.5 ms": regions with that in their name, letters large or small, that take as
/// long or longer. "event:acquire_lock": events of that type.
struct SearchText {
  std::string name;
  std::uint64_t least = 0;  ///< ns
  std::optional<EventType> event;
};

/// Throws BadRequest where it makes no sense.
SearchText parse_search(const std::string& text);

}  // namespace tracer::view
