// SPDX-License-Identifier: BSD-3-Clause
// Locations that are no threads: of annotation ranges that overlap or change their thread, for OTF2 CPU threads with a
// property; and OTF2's own locations for metrics.
#pragma once

#include <algorithm>

#include "tracer/definitions.hpp"
#include "tracer/property_names.hpp"

namespace tracer {

inline constexpr const char* virtual_location = properties::virtual_location;

inline bool is_virtual(const Location& location) {
  return std::any_of(location.properties.begin(), location.properties.end(),
                     [](const Property& property) { return property.name == virtual_location; });
}

/// A thread or stream of the selected part of the trace.
inline bool is_shown(const Location& location) {
  return location.used && !is_virtual(location);
}

/// The name in tables.
inline const char* kind_of(const Location& location) {
  return is_virtual(location) ? "virtual" : location.kind == LocationKind::cpu_thread ? "thread" : "stream";
}

}  // namespace tracer
