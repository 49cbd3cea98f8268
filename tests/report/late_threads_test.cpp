// SPDX-License-Identifier: BSD-3-Clause
// What made the last thread at a barrier late, where that is no work of its own.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("who waited longest for a device is late for it") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             target = trace.region("target", RegionRole::code, 20),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    const std::uint64_t done = start + (thread == 3 ? 20 : 10) * ms;
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, target);
    trace.leave(thread, done, target);
    trace.enter(thread, done, barrier);
    trace.leave(thread, start + 21 * ms, barrier);
    trace.team_end(thread, start + 21 * ms, parallel);
  }
  trace.simple(0, start + 22 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& found = finding(report, "imbalance");
  CHECK(found["line"] == 20);
  CHECK(found["text"].get<std::string>().find("One thread waits for a device in target @example.c:20") == 0);
  check_near(found["lost_ns"], 30e6);
  check_near(report["parallel_regions"][0]["balance"]["lost_ns"], 20e6 - 12.5e6);
}

TEST_CASE("who was in a nested region is late for that") {
  TraceBuilder trace{3};
  const auto outer = trace.region("parallel", RegionRole::parallel, 10),
             loop = trace.region("for", RegionRole::loop, 11),
             inner = trace.region("parallel", RegionRole::parallel, 20),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  Definitions& d = trace.editable();
  d.groups[1].members = {0, 1};
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {1, 2}});
  d.comms.push_back({"Thread team 1", 2, undefined_ref});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) {
    trace.team_begin(thread, start, outer);
    trace.enter(thread, start, loop);
  }
  trace.leave(0, start + 1 * ms, loop);
  trace.enter(0, start + 1 * ms, barrier);
  trace.simple(1, start + 1 * ms, EventType::thread_fork, 0, 2);
  for (const LocationRef thread : {1u, 2u}) {
    trace.team_begin(thread, start + 1 * ms, inner, 1);
    trace.team_end(thread, start + 21 * ms, inner, 1);
  }
  trace.simple(1, start + 21 * ms, EventType::thread_join);
  trace.leave(1, start + 21 * ms, loop);
  trace.enter(1, start + 21 * ms, barrier);
  for (const LocationRef thread : {0u, 1u}) {
    trace.leave(thread, start + 22 * ms, barrier);
    trace.team_end(thread, start + 22 * ms, outer);
  }
  trace.simple(0, start + 22 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& found = finding(report, "imbalance");
  CHECK(found["line"] == 20);
  CHECK(found["text"].get<std::string>().find("a region inside of theirs") != std::string::npos);
  check_near(found["lost_ns"], 20e6);
  const auto check_uneven = [](const Json& row) {
    check_near(row["balance"]["max_ns"], 21e6);
    check_near(row["balance"]["min_ns"], 1e6);
    check_near(row["balance"]["lost_ns"], 10e6);
    CHECK(row["balance"]["slowest"] == "OMP thread 1");
  };
  CHECK(report["parallel_regions"][0]["name"] == "!$omp parallel @example.c:10");
  check_uneven(report["parallel_regions"][0]);
  int found_uneven = 0;
  for (const Json& row : report["constructs"]) {
    if (row["line"] != 10 && row["line"] != 11) continue;
    if (row["construct"] != "parallel" && row["construct"] != "for") continue;
    check_uneven(row);
    ++found_uneven;
  }
  CHECK(found_uneven == 2);
}
