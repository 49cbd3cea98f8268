// SPDX-License-Identifier: BSD-3-Clause
// Barriers in target regions that the host runs itself: their thread is a team of its own there.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("a barrier in a target region that the host runs is none of the team around it") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             target = trace.region("target", RegionRole::function, 11),
             inside = trace.region("barrier", RegionRole::barrier, 12),
             barrier = trace.region("barrier", RegionRole::barrier, 13),
             last = trace.region("implicit barrier", RegionRole::implicit_barrier);
  const auto wait = [&](LocationRef thread, std::uint64_t from, std::uint64_t to, RegionRef region) {
    trace.enter(thread, start + from * us, region);
    trace.leave(thread, start + to * us, region);
  };
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_begin(thread, start, parallel);
  // The first thread alone goes through the target region; it waits 18 ms for the second, which then waits 10 ms for
  // it.
  trace.enter(0, start, target);
  wait(0, 1000, 1000, inside);
  trace.leave(0, start + 2 * ms, target);
  wait(0, 2000, 20000, barrier);
  wait(1, 19999, 20000, barrier);
  wait(0, 29999, 30000, last);
  wait(1, 20000, 30000, last);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_end(thread, start + 30 * ms, parallel);
  trace.simple(0, start + 30 * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_near(report["critical_path_ns"], 30e6);
  check_near(report["account"]["time"]["imbalance_ns"], 28e6);
}
