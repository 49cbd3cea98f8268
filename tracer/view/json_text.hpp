// SPDX-License-Identifier: BSD-3-Clause
// Answers as JSON: names of a trace may be no UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace tracer::view {

inline std::string text_of_json(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace tracer::view
