// SPDX-License-Identifier: BSD-3-Clause
// Locks of reports where a program has one for each element of its data.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/trace_builder.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// One thread takes so many locks once each, holding each for 2 ns, after waiting for it for 1 ns; but for the fifth,
/// for which it waits for 1 ms, and the sixth, which it keeps to the end.
Json report_of_locks(std::uint64_t locks) {
  TraceBuilder trace{1};
  const RegionRef region = trace.region("lock", RegionRole::critical);
  std::uint64_t now = ms;
  trace.simple(0, now, EventType::program_begin, 0, 1);
  for (std::uint64_t lock = 0; lock < locks; ++lock) {
    trace.enter(0, now, region);
    now += lock == 5 ? ms : 1;
    trace.simple(0, now, EventType::acquire_lock, 0, lock, 1);
    now += 2;
    if (lock != 6) trace.simple(0, now, EventType::release_lock, 0, lock, 1);
    trace.leave(0, now, region);
  }
  trace.simple(0, now, EventType::release_lock, 0, 6, 1);
  trace.simple(0, now, EventType::program_end);
  return Json::parse(report::to_json(report::analyze(trace)));
}

}  // namespace

TEST_CASE("a report has the locks that were waited for longest and the sum of all others") {
  for (const std::uint64_t locks : {7u, 1'500u, 600'000u}) {
    INFO(locks << " locks");
    const Json report = report_of_locks(locks);
    const Json &rows = report["locks"], &others = report["other_locks"];
    REQUIRE(rows.size() == std::min<std::uint64_t>(locks, 1000));
    CHECK(rows[0]["lock"] == 5);
    CHECK(rows[0]["wait_ns"] == ms);
    std::uint64_t acquisitions = others["acquisitions"], wait = others["wait_ns"], held = others["held_ns"];
    for (const Json& row : rows) {
      acquisitions += row["acquisitions"].get<std::uint64_t>();
      wait += row["wait_ns"].get<std::uint64_t>();
      held += row["held_ns"].get<std::uint64_t>();
    }
    CHECK(rows.size() + others["locks"].get<std::uint64_t>() == locks);
    CHECK(acquisitions == locks);
    CHECK(wait == ms + locks - 1);
    CHECK(held == 2 * (locks - 1) + 2 + 3 * (locks - 7));
  }
}
