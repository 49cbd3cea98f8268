// SPDX-License-Identifier: BSD-3-Clause
// A job of two ranks, and the wait states of its report.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/mpi_traces.hpp"

namespace tracer::test {

inline constexpr std::uint64_t start = 1'000'000;

inline const nlohmann::json* state(const nlohmann::json& report, const std::string& name) {
  for (const nlohmann::json& row : report["mpi"]["wait_states"])
    if (row["state"] == name) return &row;
  return nullptr;
}
inline std::uint64_t waited(const nlohmann::json& report, const std::string& name) {
  return report["mpi"]["waited"][name + "_ns"].get<std::uint64_t>();
}

inline MpiJob two_ranks(std::uint64_t length = 100 * ms) {
  MpiJob job{2};
  for (unsigned rank = 0; rank < 2; ++rank) job.program(rank, start, start + length);
  return job;
}

}  // namespace tracer::test
