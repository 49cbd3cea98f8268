// SPDX-License-Identifier: BSD-3-Clause
// How an archive names the process of a rank of which no part came when its job was merged.
#pragma once

#include <string_view>

#include "tracer/definitions.hpp"

namespace tracer {

/// Behind the name that the process would have.
inline constexpr std::string_view no_trace_suffix = " (no trace)";

inline bool left_no_trace(const LocationGroup& process) {
  return process.name.ends_with(no_trace_suffix);
}

}  // namespace tracer
