// SPDX-License-Identifier: BSD-3-Clause
// A report as the tests read it: from its JSON.
#pragma once

#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

namespace tracer::test {

inline nlohmann::json report_of(EventSource& trace) {
  return nlohmann::json::parse(report::to_json(report::analyze(trace)));
}

inline void check_near(const nlohmann::json& value, double expected) {
  CHECK(value.get<double>() == Approx(expected).epsilon(0.02));
}

/// What the verdict's note of that id says; "": there is none.
inline std::string note_in(const nlohmann::json& report, const std::string& id) {
  for (const auto& note : report["verdict"]["notes"])
    if (note["id"] == id) return note["text"].get<std::string>();
  return {};
}

/// Of all ranks, in all wait states.
inline std::uint64_t all_waits(const nlohmann::json& report) {
  std::uint64_t sum = 0;
  for (const auto& [name, ns] : report["mpi"]["waited"].items()) sum += ns.get<std::uint64_t>();
  return sum;
}

}  // namespace tracer::test
