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

/// All of each thread's time is in exactly one place, and the places' sum is the whole.
inline void check_adds_up(const nlohmann::json& account) {
  const auto wall = account["end_ns"].get<std::uint64_t>() - account["begin_ns"].get<std::uint64_t>();
  const auto sum = [](const nlohmann::json& times) {
    std::uint64_t ns = 0;
    for (const auto& [place, value] : times.items()) ns += value.get<std::uint64_t>();
    return ns;
  };
  for (const nlohmann::json& thread : account["by_thread"]) CHECK(sum(thread["time"]) == wall);
  CHECK(sum(account["time"]) == wall * account["threads"].get<std::uint64_t>());
  CHECK(account["total_ns"] == sum(account["time"]));
}

/// The verdict's finding of that id, which there must be.
inline const nlohmann::json& finding(const nlohmann::json& report, const std::string& id) {
  for (const nlohmann::json& one : report["verdict"]["findings"])
    if (one["id"] == id) return one;
  FAIL("no finding " << id << " in " << report["verdict"].dump(2));
  return report;
}

/// What the verdict's note of that id says; "": there is none.
inline std::string note_in(const nlohmann::json& report, const std::string& id) {
  for (const auto& note : report["verdict"]["notes"])
    if (note["id"] == id) return note["text"].get<std::string>();
  return {};
}

inline bool has_finding(const nlohmann::json& report, const std::string& id) {
  for (const nlohmann::json& one : report["verdict"]["findings"])
    if (one["id"] == id) return true;
  return false;
}

inline bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

/// Of all ranks, in all wait states.
inline std::uint64_t all_waits(const nlohmann::json& report) {
  std::uint64_t sum = 0;
  for (const auto& [name, ns] : report["mpi"]["waited"].items()) sum += ns.get<std::uint64_t>();
  return sum;
}

}  // namespace tracer::test
