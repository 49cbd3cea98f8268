// SPDX-License-Identifier: BSD-3-Clause
// The end of a thread that ended before its process: a property of its location, in the archive's time.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "tracer/definitions.hpp"
#include "tracer/property_names.hpp"

namespace tracer {

/// 0: it ended with its process, or the end is unknown.
inline std::uint64_t thread_end(const Location& location) {
  const std::string text = property_value(location.properties, properties::thread_ended);
  std::uint64_t time = 0;
  const auto [last, error] = std::from_chars(text.data(), text.data() + text.size(), time);
  return error == std::errc{} && last == text.data() + text.size() ? time : 0;
}

/// In the time of tables, from the begin of the trace.
inline std::optional<std::uint64_t> thread_end_since(const Location& location, std::uint64_t origin) {
  const std::uint64_t time = thread_end(location);
  return time == 0 ? std::nullopt : std::optional{time - std::min(origin, time)};
}

}  // namespace tracer
