// SPDX-License-Identifier: BSD-3-Clause
// What is counted and added up of waiting: threads that come to a team late, acquisitions, barriers that are met often.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;

}  // namespace

TEST_CASE("a region's longest path is no shorter than what one of its threads works, also if its master begins late") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 10 * ms, EventType::thread_fork, 0, 2);
  trace.team_begin(1, start + 10 * ms, parallel);  // as libgomp's workers, which are there already
  trace.team_begin(0, start + 14 * ms, parallel);
  trace.team_end(0, start + 15 * ms, parallel);
  trace.team_end(1, start + 30 * ms, parallel);
  trace.simple(0, start + 30 * ms, EventType::thread_join);
  trace.simple(0, start + 31 * ms, EventType::program_end);
  const Json region = report_of(trace)["parallel_regions"][0];
  CHECK(region["critical_path_ns"] == 20 * ms);
  CHECK(region["parallelism"].get<double>() <= 2);
}

TEST_CASE("acquisitions of a lock that nobody had are no waiting for it") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             holding = trace.region("critical", RegionRole::critical, 7),
             waiting = trace.region("critical", RegionRole::critical, 9);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  const auto take = [&](LocationRef thread, RegionRef region, std::uint64_t from, std::uint64_t had, std::uint64_t to) {
    trace.enter(thread, from, region);
    trace.simple(thread, had, EventType::acquire_lock, 0, 1, 1);
    trace.simple(thread, to, EventType::release_lock, 0, 1, 1);
    trace.leave(thread, to, region);
  };
  take(0, holding, start + 1 * ms, start + 1 * ms, start + 50 * ms);
  take(1, waiting, start + 2 * ms, start + 50 * ms + 1, start + 50 * ms + 2);  // the only one that waits
  for (std::uint64_t n = 0; n < 200; ++n) {
    const std::uint64_t from = start + (51 + n / 10) * ms + n % 10 * 1000;
    take(1, waiting, from, from + 100, from + 200);
  }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, start + 80 * ms, parallel);
  trace.simple(0, start + 80 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(finding(report, "contention")["text"].get<std::string>().find(", once, the longest 48 ms") !=
        std::string::npos);
}

TEST_CASE("a barrier and the waiting in it are one barrier") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("barrier", RegionRole::barrier, 7),
             barrier_wait = trace.region("barrier wait", RegionRole::barrier, 7),
             other = trace.region("barrier", RegionRole::barrier, 9),
             other_wait = trace.region("barrier wait", RegionRole::barrier, 9);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  std::uint64_t now = start;
  for (int n = 0; n < 40'000; ++n) {
    now += 2 * us;
    for (const LocationRef thread : {0u, 1u}) {
      const std::uint64_t come = now + thread * us;
      trace.enter(thread, come, n % 2 ? barrier : other);
      trace.enter(thread, come + 100, n % 2 ? barrier_wait : other_wait);
      trace.leave(thread, now + 4 * us, n % 2 ? barrier_wait : other_wait);
      trace.leave(thread, now + 4 * us + 100, n % 2 ? barrier : other);
    }
    now += 5 * us;
  }
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, now, parallel);
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  const std::string text = finding(report, "frequent-barriers")["text"];
  INFO(text);
  CHECK(text.find("and 1 other barrier of") != std::string::npos);
  CHECK(text.find("barrier wait") == std::string::npos);
}
