// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a report, read from its JSON, for traces of known structure: right to 2 %.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/filter.hpp"
#include "tracer/replay/regions.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

const Json& named(const Json& rows, const std::string& begin) {
  for (const Json& row : rows) {
    if (row["name"].get<std::string>().rfind(begin, 0) == 0) return row;
  }
  FAIL("no row " << begin);
  return rows;
}

bool has_hint(const Json& report, const std::string& id) {
  for (const Json& hint : report["hints"]) {
    if (hint["id"] == id) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("what libomp's own team for target nowait does is no work of the program's, its tasks are") {
  constexpr RegionRef own = 1;
  TraceBuilder trace = helpers_team();
  Definitions& d = trace.editable();
  const Json report = report_of(trace);
  CHECK(report["account"]["threads"] == 1);
  CHECK(report["account"]["helper_threads"] == 2);
  CHECK(report["work_ns"] == (100 + 20) * ms);
  CHECK(report["parallel_regions"].empty());
  REQUIRE(report["constructs"].size() == 1);
  CHECK(report["constructs"][0]["total_ns"] == 20 * ms);
  CHECK(report["threads"][1]["time"]["idle_ns"] == 100 * ms);
  CHECK(report["threads"][2]["time"]["work_ns"] == 20 * ms);
  // A thread of the program's own that has a team somewhere in it is none.
  d.regions[own].name = d.regions[own].canonical = "!$omp parallel @example.c:10";
  d.regions[own].source_file = "/src/example.c";
  CHECK(report_of(trace)["account"]["helper_threads"] == 0);
}

TEST_CASE("an imbalance of 3:1 is reported as such, for the loop and for the region") {
  TraceBuilder trace = imbalance_3_to_1();
  const Json report = report_of(trace);
  check_near(report["wall_ns"], 40e6);
  const Json& loop = named(report["constructs"], "!$omp for");
  CHECK(loop["count"] == 4);
  check_near(loop["total_ns"], 60e6);
  check_near(loop["longest_ns"], 30e6);
  check_near(loop["balance"]["max_over_min"], 3);
  check_near(loop["balance"]["max_over_mean"], 2);
  check_near(loop["balance"]["imbalance"], 0.5);
  check_near(loop["balance"]["lost_ns"], 15e6);
  CHECK(loop["balance"]["slowest"] == "OMP thread 3");
  const Json& parallel = named(report["parallel_regions"], "!$omp parallel");
  check_near(parallel["balance"]["max_over_min"], 3);
  check_near(parallel["time"]["barrier_ns"], 60e6);
  check_near(parallel["members"][0]["time"]["barrier_ns"], 20e6);
  check_near(parallel["members"][3]["time"]["barrier_ns"], 0);
  CHECK(has_hint(report, "imbalance"));
  CHECK(report["trace"]["irregular_events"] == 0);
}

TEST_CASE("the longest path through a loop is that of its slowest thread") {
  TraceBuilder trace = imbalance_3_to_1();
  const Json report = report_of(trace);
  check_near(report["critical_path_ns"], 40e6);
  check_near(report["work_ns"], 70e6);
}

TEST_CASE("the longest path through many barriers goes over to the slowest at each") {
  constexpr unsigned rounds = 300;
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("barrier", RegionRole::barrier, 12);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  const std::uint64_t end = start + rounds * 3 * ms;
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    for (unsigned i = 0; i < rounds; ++i) {
      const std::uint64_t begin = start + i * 3 * ms;
      trace.enter(thread, begin + (i % 2 == thread ? 3 : 1) * ms - 1000,
                  barrier);  // nobody leaves as the last one comes
      trace.leave(thread, begin + 3 * ms, barrier);
    }
    trace.team_end(thread, end, parallel);
  }
  trace.simple(0, end, EventType::program_end);
  const Json report = report_of(trace);
  check_near(report["work_ns"], rounds * 4e6);
  check_near(report["critical_path_ns"], rounds * 3e6);
}

TEST_CASE("a chain of k dependent tasks is the critical path of the graph") {
  const unsigned k = GENERATE(1u, 5u, 50u);
  TraceBuilder trace = chain_of_tasks(k);
  const Json report = report_of(trace);
  const Json& tasks = report["tasks"];
  CHECK(tasks["created"] == 2 * k);
  CHECK(tasks["completed"] == 2 * k);
  CHECK(tasks["dependences"] == k - 1);
  CHECK(tasks["graph"]["critical_path_tasks"] == k);
  check_near(tasks["graph"]["critical_path_ns"], 2e6 * k);
  CHECK(tasks["graph"]["chain_tasks"] == k);
  check_near(tasks["graph"]["chain_ns"], 2e6 * k);
  check_near(tasks["graph"]["work_ns"], 3e6 * k);
  check_near(tasks["graph"]["parallelism"], 1.5);
  check_near(tasks["mean_ns"], 1.5e6);
  check_near(tasks["longest_ns"], 2e6);
  CHECK(report["trace"]["irregular_events"] == 0);
}

TEST_CASE("an overlap of 30 percent between kernel and host is found") {
  TraceBuilder trace = overlap_30_percent();
  const Json report = report_of(trace);
  const Json& device = report["devices"][0];
  CHECK(device["kernels"] == 1);
  check_near(device["busy_ns"], 102e6);
  check_near(device["overlap_host_ns"], 30e6);
  check_near(device["overlap_host"], 30.0 / 102);
  check_near(device["idle_ns"], 2e6);
  CHECK(device["to_device"]["bytes"] == 1'000'000);
  check_near(device["to_device"]["bytes_per_second"], 1e9);
  check_near(device["from_device"]["bytes_per_second"], 2e9);
  CHECK(report["trace"]["streams"] == 1);
}

TEST_CASE("waiting for a lock is measured and attributed to the lock") {
  TraceBuilder trace = contended_lock();
  const Json report = report_of(trace);
  const Json& lock = report["locks"][0];
  CHECK(lock["acquisitions"] == 2);
  CHECK(lock["contended"] == 1);
  check_near(lock["wait_ns"], 9e6);
  check_near(lock["held_ns"], 20e6);
  CHECK(has_hint(report, "contention"));
}

TEST_CASE("what a nested task does counts for the task and not for the barrier that it runs in") {
  TraceBuilder trace = chain_of_tasks(5);
  const Json report = report_of(trace);
  check_near(named(report["constructs"], "!$omp implicit barrier")["exclusive_ns"], 5e6);  // the second thread's rest
  check_near(named(report["constructs"], "!$omp task @")["total_ns"], 15e6);
}

TEST_CASE("a trace without events gives a report of zeros") {
  TraceBuilder trace{2, 1};
  const Json report = report_of(trace);
  CHECK(report["wall_ns"] == 0);
  CHECK(report["constructs"].empty());
  CHECK(report["verdict"]["state"] == "no events");
  REQUIRE(report["verdict"]["notes"].size() == 1);
  CHECK(report["verdict"]["notes"][0]["id"] == "no-events");
  trace.editable().properties.push_back({"TRACER::FILTER", "EXCLUDE *"});
  const std::string text = report_of(trace)["verdict"]["notes"][0]["text"];
  CHECK(text.find("or the filter (EXCLUDE *) leaves it out") != std::string::npos);
}

TEST_CASE("events that do not fit together are counted, not followed") {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.leave(0, start, parallel);
  trace.simple(0, start + 1, EventType::team_end);
  trace.simple(0, start + 2, EventType::task_switch, 0, 3, 9);
  trace.simple(1, start + 3, EventType::task_complete, 0, 1, 1);
  trace.enter(0, start + 4, 999);
  const Json report = report_of(trace);
  CHECK(report["trace"]["irregular_events"].get<int>() >= 5);
}

TEST_CASE("what is open at the end of the trace ends with it, around what runs and in suspended tasks, too") {
  TraceBuilder trace = cut_in_tasks();
  const Json report = report_of(trace);
  const Json& constructs = report["constructs"];
  std::uint64_t counted = 0;
  for (const Json& row : constructs) counted += row["count"].get<std::uint64_t>();
  CHECK(counted == report["event_counts"]["enter"]);
  CHECK(named(constructs, "solve")["total_ns"] == 10 * ms);
  CHECK(named(constructs, "!$omp parallel")["total_ns"] == (9 + 9) * ms);
  CHECK(named(constructs, "!$omp implicit barrier")["total_ns"] == 9 * ms);
  CHECK(named(constructs, "!$omp taskwait")["total_ns"] == 1 * ms);
  CHECK(named(constructs, "!$omp task @")["count"] == 2);
  CHECK(named(constructs, "!$omp task @")["total_ns"] == (3 + 5) * ms);
  CHECK(report["phases"][0]["total_ns"] == 10 * ms);
  CHECK(report["trace"]["irregular_events"] == 6 + 2);
}

TEST_CASE("leaves that find none of very many open regions are an error in time, not days of looking") {
  TraceBuilder trace{1};
  const auto open = trace.region("parallel", RegionRole::parallel), other = trace.region("for", RegionRole::loop);
  std::uint64_t time = start;
  for (int i = 0; i < 200'000; ++i) trace.enter(0, ++time, open);
  for (int i = 0; i < 5'100; ++i) trace.leave(0, ++time, other);
  report::Replay replay{trace.definitions()};
  CHECK_THROWS_WITH(trace.read(replay), ContainsSubstring("do not fit together"));
}

TEST_CASE("the text says the same in tables that fit the terminal") {
  TraceBuilder trace = imbalance_3_to_1();
  const report::Report data = report::analyze(trace);
  const std::string text = report::to_text(data, {.rows = 3, .colour = false, .width = 80});
  CHECK(text.find("wall time    40 ms") != std::string::npos);
  CHECK(text.find("!$omp for @example.c:11") != std::string::npos);
  CHECK(text.find("\x1b[") == std::string::npos);
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    CHECK(end - at <= 120);
    at = end + 1;
  }
}

TEST_CASE("a filter file in Score-P's syntax leaves regions out, and the last rule that matches decides") {
  TraceBuilder trace = imbalance_3_to_1();
  report::Filter filter;
  filter.add_text(
      "SCOREP_REGION_NAMES_BEGIN # comment\n EXCLUDE *\n INCLUDE implicit_barrier for\nSCOREP_REGION_NAMES_END\n",
      "test");
  const auto source = report::filtered(trace, filter);
  const Json report = report_of(*source);
  CHECK(report["constructs"].size() == 2);
  CHECK(named(report["constructs"], "!$omp for")["count"] == 4);
  CHECK(report["trace"]["properties"]["TRACER::FILTER"] == "EXCLUDE *; INCLUDE implicit_barrier; INCLUDE for");
  CHECK(report["trace"]["irregular_events"] == 0);
}

TEST_CASE("of many rules the trace's property has those that fit, and of phases all") {
  report::Filter filter;
  for (unsigned i = 0; i < 5000; ++i) filter.add_rule(false, "a function that is left out " + std::to_string(i));
  const std::string text = filter.text();
  CHECK(text.size() < 33'000);
  CHECK(text.starts_with("EXCLUDE a function that is left out 0; EXCLUDE a function that is left out 1; "));
  CHECK(text.ends_with("; ..."));
  Definitions definitions;
  for (unsigned i = 0; i < 10; ++i) report::record_filter(definitions, text);
  report::record_filter(definitions, "PHASE solve");
  REQUIRE(definitions.properties.size() == 1);
  CHECK(definitions.properties.front().value.size() < 66'000);
  CHECK(definitions.properties.front().value.ends_with("; PHASE solve"));
}

TEST_CASE("rules for files and escaped blanks work; a wrong filter file says which line") {
  Region region;
  region.name = region.canonical = "!$omp implicit barrier @a.c:1";
  region.role = RegionRole::implicit_barrier;
  region.source_file = "/src/lib/a.c";
  report::Filter files, names, quoted;
  files.add_text("SCOREP_FILE_NAMES_BEGIN EXCLUDE */lib/* SCOREP_FILE_NAMES_END", "f");
  CHECK(!files.keeps(region));
  names.add_text("SCOREP_REGION_NAMES_BEGIN EXCLUDE implicit\\ barrier SCOREP_REGION_NAMES_END", "f");
  CHECK(!names.keeps(region));
  quoted.add_text("SCOREP_REGION_NAMES_BEGIN EXCLUDE \"!$omp implicit barrier @*\" SCOREP_REGION_NAMES_END", "f");
  CHECK(!quoted.keeps(region));
  report::Filter wrong;
  CHECK_THROWS(wrong.add_text("\nEXCLUDE x", "f"));
  CHECK_THROWS(wrong.add_text("SCOREP_REGION_NAMES_BEGIN EXCLUDE x", "f"));
}

TEST_CASE("rules for functions mean whole ones, with their parameters or without, and no pieces of them") {
  Region region;
  region.name = region.canonical = "!$omp for @a.cpp:1";
  region.role = RegionRole::loop;
  const auto leaves_out = [&region](const std::string& pattern) {
    report::Filter filter;
    filter.add_rule(false, pattern);
    return !filter.keeps(region);
  };
  region.description = "void apply<double, solve_tag>(Grid&, int), bool operator<(A const&, B), main";
  for (const char* pattern :
       {"void apply<double, solve_tag>(Grid&, int)", "apply", "bool operator<(A const&, B)", "main", "*solve_tag*"}) {
    INFO(pattern);
    CHECK(leaves_out(pattern));
  }
  for (const char* pattern : {"solve*", "int)", "void apply<double", "B)", "solve"}) {
    INFO(pattern);
    CHECK(!leaves_out(pattern));
  }
  region.description = "solve(double*, int)";
  CHECK(leaves_out("solve(double[*], int)"));
  CHECK(leaves_out("solve"));
  CHECK(!leaves_out("int*"));
}

TEST_CASE("a construct's label and place are apart at the first mark between them, whatever its file is called") {
  Region region;
  region.role = RegionRole::loop;
  for (const char* place : {"a.c:1", "stencil@avx2.c:10", "my @x.f90:3", "0x1a2f in libx (solve@@V2)"}) {
    INFO(place);
    region.name = region.canonical = std::string{"!$omp for @"} + place;
    CHECK(report::classify(region).label == "for");
    CHECK(report::classify(region).location == place);
  }
}

TEST_CASE("durations are read with their units") {
  CHECK(report::parse_duration("500") == 500);
  CHECK(report::parse_duration("1.5ms") == 1'500'000);
  CHECK(report::parse_duration("10 us") == 10'000);
  CHECK_THROWS(report::parse_duration("10 parsecs"));
  CHECK_THROWS(report::parse_duration("-1"));
}
