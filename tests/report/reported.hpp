// SPDX-License-Identifier: BSD-3-Clause
// A report as the tests read it: from its JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tracer/report/analyze.hpp"
#include "tracer/report/write.hpp"

namespace tracer::test {

inline nlohmann::json report_of(EventSource& trace) {
  return nlohmann::json::parse(report::to_json(report::analyze(trace)));
}

/// Of all ranks, in all wait states.
inline std::uint64_t all_waits(const nlohmann::json& report) {
  std::uint64_t sum = 0;
  for (const auto& [name, ns] : report["mpi"]["waited"].items()) sum += ns.get<std::uint64_t>();
  return sum;
}

}  // namespace tracer::test
