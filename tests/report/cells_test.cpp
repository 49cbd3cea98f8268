// SPDX-License-Identifier: BSD-3-Clause
// The cells of the account, and findings made of them: one cause is one finding, at its place, with its seconds.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/base/units.hpp"
#include "tracer/report/measures/holds.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

/// One value for one thing: places are the sums of their cells, and so are findings, whose texts have that number.
void check_cells(const Json& report) {
  const Json& cells = report["account"]["details"];
  std::map<std::string, std::uint64_t> sums;
  for (const Json& cell : cells) sums[cell["place"].get<std::string>() + "_ns"] += cell["ns"].get<std::uint64_t>();
  for (const auto& [place, ns] : report["account"]["time"].items()) {
    INFO(place);
    CHECK(sums[place] == ns.get<std::uint64_t>());
  }
  std::set<std::size_t> used;
  for (const Json& finding : report["verdict"]["findings"]) {
    INFO(finding.dump(2));
    std::uint64_t lost = 0;
    for (const std::size_t cell : finding["cells"]) {
      lost += cells.at(cell)["ns"].get<std::uint64_t>();
      CHECK(used.insert(cell).second);
    }
    CHECK(lost == finding["lost_ns"].get<std::uint64_t>());
    CHECK(finding["text"].get<std::string>().find(duration_text(lost)) != std::string::npos);
  }
}

const Json& first_finding(const Json& report) {
  INFO(report["verdict"].dump(2));
  REQUIRE(!report["verdict"]["findings"].empty());
  return report["verdict"]["findings"][0];
}

}  // namespace

TEST_CASE("places are the sums of their cells, and findings are sums of cells") {
  TraceBuilder traces[] = {imbalance_3_to_1(), even_loop(), chain_of_tasks(5), overlap_30_percent(), contended_lock()};
  for (TraceBuilder& trace : traces) check_cells(report_of(trace));
}

TEST_CASE("the holder of a lock is who had it while the thread waited") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             add = trace.region("omp_set_lock", RegionRole::artificial, 20),
             log = trace.region("omp_set_lock", RegionRole::artificial, 30);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_begin(thread, start, parallel);
  const auto take = [&](LocationRef thread, std::uint64_t wanted, std::uint64_t got, std::uint64_t freed,
                        RegionRef at) {
    trace.enter(thread, start + wanted, at);
    trace.simple(thread, start + got, EventType::acquire_lock, 0, 7, thread + 1);
    trace.leave(thread, start + got, at);
    trace.simple(thread, start + freed, EventType::release_lock, 0, 7, thread + 1);
  };
  // One thread holds it for 10 ms and, later, shortly. The other waits for the long hold, and has it next.
  take(0, 0, 0, 10 * ms, log);
  take(1, ms, 10 * ms, 10 * ms + 1000, add);
  take(1, 12 * ms, 12 * ms, 12 * ms + 1000, add);
  take(0, 14 * ms, 14 * ms, 30 * ms, log);
  take(1, 15 * ms, 30 * ms, 30 * ms + 1000, add);
  for (LocationRef thread = 0; thread < 2; ++thread) trace.team_end(thread, start + 31 * ms, parallel);
  trace.simple(0, start + 31 * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  const Json& found = first_finding(report);
  CHECK(found["id"] == "contention");
  CHECK(found["line"] == 20);
  check_near(found["lost_ns"], 24e6);
  CHECK(has(found["text"], "meanwhile it was held at omp_set_lock @example.c:30 (24 ms)"));
  CHECK(has(found["advice"], "Do less at omp_set_lock @example.c:30"));
}

TEST_CASE("what a lock was waited for is divided among those who had it") {
  report::Holds holds;
  using Parts = std::vector<std::pair<RegionRef, std::uint64_t>>;
  CHECK(holds.during(0, 10, 10) == Parts{{undefined_ref, 10}});
  holds.acquired(1, 0);
  holds.released(30);
  holds.acquired(2, 30);
  holds.released(40);
  CHECK(holds.during(20, 40, 20) == Parts{{1, 10}, {2, 10}});
  CHECK(holds.during(0, 40, 80) == Parts{{1, 60}, {2, 20}});
  holds.acquired(3, 50);  // and nobody from 40 to 50
  CHECK(holds.during(40, 60, 20) == Parts{{3, 20}});
  holds.forget();
  CHECK(holds.during(20, 60, 40) == Parts{{3, 40}});  // who has it
  for (std::uint64_t i = 0; i < 10 * report::Holds::most; ++i) holds.acquired(4, 100 + i), holds.released(101 + i);
  CHECK(holds.during(100, 100 + 10 * report::Holds::most, 1000) == Parts{{4, 1000}});
}

TEST_CASE("threads beside a region of fewer are told with its line") {
  TraceBuilder trace{4};
  const auto all = trace.region("parallel", RegionRole::parallel, 10),
             half = trace.region("parallel", RegionRole::parallel, 20);
  trace.editable().groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, 1}});
  trace.editable().comms.push_back({"Thread team 1", 2, undefined_ref});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start, all);
    trace.team_end(thread, start + 10 * ms, all);
  }
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start + 10 * ms, half, 1);
    trace.team_end(thread, start + 40 * ms, half, 1);
  }
  trace.simple(0, start + 40 * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  const Json& found = first_finding(report);
  CHECK(found["id"] == "unused-threads");
  CHECK(found["line"] == 20);
  check_near(found["lost_ns"], 60e6);
}

TEST_CASE("short regions that follow each other are one finding, with what idles between them") {
  TraceBuilder trace{2};
  const auto dot = trace.region("parallel", RegionRole::parallel, 10),
             axpy = trace.region("parallel", RegionRole::parallel, 20);
  trace.editable().regions[dot].description = "dot";
  trace.editable().regions[axpy].description = "axpy";
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start;
  for (int i = 0; i < 1000; ++i)
    for (const RegionRef region : {dot, axpy}) {
      for (LocationRef thread = 0; thread < 2; ++thread) {
        trace.team_begin(thread, now + thread * 5 * us, region);  // comes late
        trace.team_end(thread, now + 20 * us, region);
      }
      now += 30 * us;
    }
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  CHECK(report["verdict"]["findings"].size() == 1);
  const Json& found = first_finding(report);
  CHECK(found["id"] == "short-regions");
  CHECK(has(found["text"], "2 regions that follow each other, in dot and axpy run 2,000 times"));
  CHECK(found["lost_ns"].get<std::uint64_t>() > 25 * 1000 * us);  // 5 late and 10 between, of 2,000
}

TEST_CASE("where the same thread has most to do in each of many short regions, they are uneven and not only short") {
  const bool is_same = GENERATE(false, true);
  constexpr LocationRef threads = 4;
  TraceBuilder trace{threads};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 11);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start;
  for (LocationRef i = 0; i < 2000; ++i) {
    for (LocationRef thread = 0; thread < threads; ++thread) {
      const std::uint64_t come = now + (thread == 0 ? 0 : 2) * us,
                          done = come + (thread == (is_same ? threads - 1 : i % threads) ? 70 : 20) * us;
      trace.team_begin(thread, come, parallel);
      trace.enter(thread, come, loop);
      trace.leave(thread, done, loop);
      trace.enter(thread, done, barrier);
      trace.leave(thread, now + 75 * us, barrier);
      trace.team_end(thread, now + 75 * us, parallel);
    }
    now += 80 * us;
  }
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  const Json& found = first_finding(report);
  if (!is_same) {  // who is last is chance
    CHECK(report["verdict"]["findings"].size() == 1);
    CHECK(found["id"] == "short-regions");
    CHECK(has(found["text"], "joining it, the barriers and idling until the next one take"));
    return;
  }
  CHECK(found["id"] == "imbalance");
  CHECK(has(found["text"], "The iterations of for @example.c:11 are unevenly spread"));
  CHECK(has(found["advice"], "schedule(dynamic, chunk)"));
  check_near(found["lost_ns"], 2000 * (52 + 50 + 50) * 1e3);
  const Json& short_ones = finding(report, "short-regions");
  CHECK(has(short_ones["text"], "starting the team, joining it and idling until the next one take"));
  check_near(short_ones["lost_ns"], 2000 * (3 * 2 + 4 * 3 + 3 * 5) * 1e3);
}

TEST_CASE("a taskwait after each pair of tasks is told by its line") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             wait = trace.region("taskwait", RegionRole::task_wait, 14),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) trace.team_begin(thread, start, parallel);
  for (LocationRef thread = 1; thread < 4; ++thread) trace.enter(thread, start, barrier);
  std::uint64_t now = start;
  for (std::uint64_t pair = 0; pair < 10; ++pair) {
    trace.create_task(0, now, create, 2 * pair + 1, 2 * pair + 1);
    trace.create_task(0, now, create, 2 * pair + 2, 2 * pair + 2);
    trace.enter(0, now, wait);
    trace.run_task(0, now, now + 5 * ms, task, 0, 2 * pair + 1);
    trace.run_task(1, now, now + 5 * ms, task, 0, 2 * pair + 2);
    now += 5 * ms;
    trace.leave(0, now, wait);
  }
  trace.enter(0, now, barrier);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.leave(thread, now, barrier);
    trace.team_end(thread, now, parallel);
  }
  trace.simple(0, now, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  const Json& found = first_finding(report);
  CHECK(found["id"] == "starvation");
  CHECK(found["line"] == 14);
  CHECK(has(found["text"], "taskwait @example.c:14 comes after each 2 tasks, 10 times"));
  check_near(found["lost_ns"], 100e6);
}

TEST_CASE("iterations of a doacross loop wait for those before them") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             sink = trace.region("doacross sink", RegionRole::artificial, 13),
             source = trace.region("doacross source", RegionRole::artificial, 13);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, loop);
  }
  // Iteration i is done by thread i % 2 and takes 1 ms, all of it behind its sink.
  constexpr std::uint64_t iterations = 20;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    const LocationRef thread = i % 2;
    trace.enter(thread, start + i * ms + (i == 0 ? 1000 : 100), sink, {{0, i + 99}});
    trace.leave(thread, start + i * ms + (i == 0 ? 1000 : 100), sink);
    trace.enter(thread, start + (i + 1) * ms, source, {{0, i + 100}});
    trace.leave(thread, start + (i + 1) * ms, source);
  }
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.leave(thread, start + iterations * ms, loop);
    trace.team_end(thread, start + iterations * ms, parallel);
  }
  trace.simple(0, start + iterations * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_cells(report);
  const Json& found = first_finding(report);
  CHECK(found["id"] == "ordered");
  CHECK(found["line"] == 13);
  check_near(found["lost_ns"], 19e6);
}

TEST_CASE("what one thread computes beside the load of others is serial, and too many threads are not its cause") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start;
  for (int i = 0; i < 10; ++i) {
    now += 200 * ms;
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, now, parallel);
      trace.team_end(thread, now + 15 * ms, parallel);
    }
    now += 15 * ms;
  }
  trace.simple(0, now, EventType::program_end);
  trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "2"});
  trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "2"});
  // The first thread computes, and has a processor half of the time.
  trace.editable().locations[0].properties = {{"TRACER::PROCESSOR_NS", "1000000000"},
                                              {"TRACER::DELAY_NS", "1000000000"}};
  for (LocationRef thread = 1; thread < 4; ++thread)
    trace.editable().locations[thread].properties = {{"TRACER::PROCESSOR_NS", "1000000"},
                                                     {"TRACER::DELAY_NS", "1000000"}};
  const Json report = report_of(trace);
  check_cells(report);
  CHECK(report["verdict"]["state"] == "ok");
  const Json& found = first_finding(report);
  CHECK(found["id"] == "serial");
  check_near(found["lost_ns"], 6e9);
}
