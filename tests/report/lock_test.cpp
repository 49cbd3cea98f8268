// SPDX-License-Identifier: BSD-3-Clause
// Locks of reports where a program has one for each element of its data.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/reported.hpp"
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

TEST_CASE("what threads wait at a barrier for those that a lock made late is lost by that lock") {
  constexpr LocationRef threads = 4;
  TraceBuilder trace{threads};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             critical = trace.region("critical", RegionRole::critical, 12),
             inside = trace.region("critical sblock", RegionRole::critical_sblock, 12),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  // One after the other they are in it for 10 ms.
  const std::uint64_t begin = ms, end = begin + threads * 10 * ms;
  trace.simple(0, begin, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < threads; ++thread) {
    const std::uint64_t got = begin + thread * 10 * ms, freed = got + 10 * ms;
    trace.team_begin(thread, begin, parallel);
    trace.enter(thread, begin, critical);
    trace.simple(thread, got, EventType::acquire_lock, 0, 7, thread + 1);
    trace.enter(thread, got, inside);
    trace.leave(thread, freed, inside);
    trace.simple(thread, freed, EventType::release_lock, 0, 7, thread + 1);
    trace.leave(thread, freed, critical);
    trace.enter(thread, freed, barrier);
    trace.leave(thread, end, barrier);
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(report["verdict"]["findings"].size() == 1);
  const Json& found = finding(report, "contention");
  const std::string text = found["text"];
  INFO(text);
  CHECK(text.find("Threads wait 60 ms at critical @example.c:12, 3 times, the longest 30 ms") == 0);
  CHECK(text.find(
            " Threads come late for that, and others wait 60 ms at implicit barrier @example.c:10: 120 ms in all.") !=
        std::string::npos);
  CHECK(found["line"] == 12);
  CHECK(found["lost_ns"] == 120 * ms);
  check_near(found["win_ns"], 30e6);  // of 40: what is left is one thread's time in it
}

TEST_CASE("the schedule that an ordered region needs is that of the loop around it") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             ordered = trace.region("ordered", RegionRole::ordered, 13);
  trace.simple(0, ms, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, ms, parallel);
    trace.enter(thread, ms, loop);
    const std::uint64_t got = (1 + 10 * thread) * ms, freed = got + 10 * ms;
    trace.enter(thread, ms, ordered);
    trace.simple(thread, got, EventType::acquire_lock, 0, 7, thread + 1);
    trace.simple(thread, freed, EventType::release_lock, 0, 7, thread + 1);
    trace.leave(thread, freed, ordered);
    trace.leave(thread, 21 * ms, loop);
    trace.team_end(thread, 21 * ms, parallel);
  }
  trace.simple(0, 21 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& found = finding(report, "ordered");
  check_near(found["lost_ns"], 10e6);
  CHECK(found["advice"].get<std::string>().find("the loop around it needs a schedule with small chunks") !=
        std::string::npos);
}

TEST_CASE("of a lock that is taken at two places the advice is by how the one is held that others wait for") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             brief = trace.region("omp_set_lock", RegionRole::artificial, 20),
             lasting = trace.region("omp_set_lock", RegionRole::artificial, 30);
  const auto take = [&](LocationRef thread, RegionRef at, std::uint64_t wanted, std::uint64_t got,
                        std::uint64_t freed) {
    trace.enter(thread, wanted, at);
    trace.simple(thread, got, EventType::acquire_lock, 0, 7, thread + 1);
    trace.leave(thread, got, at);
    trace.simple(thread, freed, EventType::release_lock, 0, 7, thread + 1);
  };
  trace.simple(0, ms, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_begin(thread, ms, parallel);
  for (std::uint64_t now = ms; now < 25 * ms; now += 6 * ms) {
    take(1, lasting, now, now, now + 5 * ms);
    take(0, brief, now + us, now + 5 * ms + us, now + 5 * ms + us + 100);
    for (std::uint64_t i = 2; i < 62; ++i) {
      const std::uint64_t at = now + 5 * ms + i * us;
      take(0, brief, at, at, at + 100);
    }
  }
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_end(thread, 25 * ms, parallel);
  trace.simple(0, 25 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& found = finding(report, "contention");
  CHECK(found["line"] == 20);
  CHECK(found["advice"].get<std::string>().find("Do less at omp_set_lock @example.c:30") == 0);
  CHECK(found["text"].get<std::string>().find("taking it is what takes the time") == std::string::npos);
}
