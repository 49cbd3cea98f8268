// SPDX-License-Identifier: BSD-3-Clause
// Answers as JSON: names of a trace may be no UTF-8.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace tracer::view {

inline std::string text_of_json(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A whole number as the page's script reads it: above 2^53, where its numbers have gaps, as text.
template <class Whole>
nlohmann::json exact(Whole number) {
  constexpr std::int64_t most = std::int64_t{1} << 53;
  if (std::cmp_greater(number, most) || std::cmp_less(number, -most)) return std::to_string(number);
  return number;
}

}  // namespace tracer::view
