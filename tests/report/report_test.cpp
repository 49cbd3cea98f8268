// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a report, read from its JSON, for traces of known structure: right to 2 %.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/filter.hpp"
#include "tracer/report/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

void check_near(const Json& value, double expected) {
  CHECK(value.get<double>() == Approx(expected).epsilon(0.02));
}

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
  TraceBuilder trace{3};
  Definitions& d = trace.editable();
  d.locations[1].name = "Initial thread";
  const auto task = trace.region("task", RegionRole::task, 12), own = trace.region("parallel", RegionRole::parallel);
  d.regions[own].name = d.regions[own].canonical = "!$omp parallel";
  d.regions[own].source_file.clear();
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {1, 2}});
  d.comms.push_back({"Thread team 1", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(1, start, EventType::thread_fork, 0, 2);
  for (const LocationRef thread : {1u, 2u}) trace.team_begin(thread, start, own, 1);
  trace.run_task(2, start + 10 * ms, start + 30 * ms, task, 0, 1);
  for (const LocationRef thread : {1u, 2u}) trace.team_end(thread, start + 100 * ms, own, 1);
  trace.simple(1, start + 100 * ms, EventType::thread_join);
  trace.simple(0, start + 100 * ms, EventType::program_end);
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

TEST_CASE("durations are read with their units") {
  CHECK(report::parse_duration("500") == 500);
  CHECK(report::parse_duration("1.5ms") == 1'500'000);
  CHECK(report::parse_duration("10 us") == 10'000);
  CHECK_THROWS(report::parse_duration("10 parsecs"));
  CHECK_THROWS(report::parse_duration("-1"));
}

namespace {

/// All of each thread's time is in exactly one place, and the places' sum is the whole.
void check_adds_up(const Json& account) {
  const auto wall = account["end_ns"].get<std::uint64_t>() - account["begin_ns"].get<std::uint64_t>();
  const auto sum = [](const Json& times) {
    std::uint64_t ns = 0;
    for (const auto& [place, value] : times.items()) ns += value.get<std::uint64_t>();
    return ns;
  };
  for (const Json& thread : account["by_thread"]) CHECK(sum(thread["time"]) == wall);
  CHECK(sum(account["time"]) == wall * account["threads"].get<std::uint64_t>());
  CHECK(account["total_ns"] == sum(account["time"]));
}

const Json& finding(const Json& report, const std::string& id) {
  for (const Json& one : report["verdict"]["findings"])
    if (one["id"] == id) return one;
  FAIL("no finding " << id << " in " << report["verdict"].dump(2));
  return report;
}

}  // namespace

TEST_CASE("every second of every thread is in one place of the account") {
  TraceBuilder traces[] = {imbalance_3_to_1(), chain_of_tasks(5), overlap_30_percent(), contended_lock()};
  for (TraceBuilder& trace : traces) check_adds_up(report_of(trace)["account"]);
}

TEST_CASE("the account goes from the process' start to its end, as the kernel knows them") {
  TraceBuilder trace = imbalance_3_to_1();
  trace.editable().properties.push_back({"TRACER::RUN::PROCESS_START_NS", "400000"});
  trace.editable().properties.push_back({"TRACER::RUN::PROCESS_END_NS", std::to_string(51 * ms)});
  trace.editable().clock.offset = start;
  const Json account = report_of(trace)["account"];
  check_adds_up(account);
  CHECK(account["whole_process"] == true);
  CHECK(account["begin_ns"] == 400000);
  CHECK(account["end_ns"] == 51 * ms);
  check_near(account["time"]["work_ns"], 60e6);
  check_near(account["time"]["imbalance_ns"], 60e6);
  check_near(account["time"]["serial_ns"], 20.6e6);
  check_near(account["time"]["serial_idle_ns"], 3 * 20.6e6);
}

TEST_CASE("a finding says what is lost, where, and by which cause") {
  TraceBuilder trace = imbalance_3_to_1();
  const Json report = report_of(trace);
  const Json& first = report["verdict"]["findings"][0];
  CHECK(report["verdict"]["state"] == "ok");
  CHECK(first["id"] == "imbalance");
  check_near(first["lost_ns"], 60e6);
  check_near(first["win_ns"], 15e6);
  CHECK(first["line"] == 11);  // the loop, not the barrier
  CHECK(first["advice"].get<std::string>().find("schedule(dynamic") != std::string::npos);
}

TEST_CASE("what is tried fits the loop's schedule") {
  const auto advice = [](std::string schedule, std::uint64_t iterations) {
    TraceBuilder trace{4};
    trace.editable().strings.push_back(schedule);
    trace.editable().parameters = {{"schedule", EventType::parameter_string},
                                   {"iterations", EventType::parameter_uint}};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               loop = trace.region("for", RegionRole::loop, 11),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, start, loop);
      trace.simple(thread, start, EventType::parameter_string, 0, 2);
      trace.simple(thread, start, EventType::parameter_uint, 1, iterations);
      trace.leave(thread, start + (thread + 1) * 10 * ms, loop);
      trace.enter(thread, start + (thread + 1) * 10 * ms, barrier);
      trace.leave(thread, start + 40 * ms, barrier);
      trace.team_end(thread, start + 40 * ms, parallel);
    }
    trace.simple(0, start + 40 * ms, EventType::program_end);
    const Json report = report_of(trace);
    check_adds_up(report["account"]);
    check_near(finding(report, "imbalance")["lost_ns"], 60e6);
    return finding(report, "imbalance")["advice"].get<std::string>();
  };
  CHECK(advice("static", 1000).find("try schedule(dynamic") != std::string::npos);
  CHECK(advice("dynamic", 1000).find("dynamic already") != std::string::npos);
  CHECK(advice("dynamic", 1000).find("try schedule(dynamic") == std::string::npos);
  CHECK(advice("guided", 1000).find("guided, whose first chunks") != std::string::npos);
  CHECK(advice("static", 5).find("only 5 iterations") != std::string::npos);
}

TEST_CASE("a loop that hands out chunks of less than a microsecond is told so, and what chunk to take") {
  const auto report_with = [](std::uint64_t chunks, std::uint64_t iterations = 800'000, int times = 1) {
    TraceBuilder trace{2};
    trace.editable().strings.push_back("dynamic");
    trace.editable().parameters = {{"schedule", EventType::parameter_string},
                                   {"iterations", EventType::parameter_uint},
                                   {"chunks", EventType::parameter_uint}};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               loop = trace.region("for", RegionRole::loop, 11);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 2; ++thread) {
      trace.team_begin(thread, start, parallel);
      for (int i = 0; i < times; ++i) {
        const auto begin = start + 40 * ms * i / times, end = start + 40 * ms * (i + 1) / times;
        trace.enter(thread, begin, loop);
        trace.simple(thread, begin, EventType::parameter_string, 0, 2);
        trace.simple(thread, begin, EventType::parameter_uint, 1, iterations);
        trace.simple(thread, end, EventType::parameter_uint, 2, chunks);
        trace.leave(thread, end, loop);
      }
      trace.team_end(thread, start + 40 * ms, parallel);
    }
    trace.simple(0, start + 40 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json report = report_with(200'000);  // of each: 40 ms, 200 ns a chunk
  check_adds_up(report["account"]);
  const Json found = finding(report, "small-chunks");
  check_near(found["lost_ns"], 80e6);
  CHECK(found["line"] == 11);
  INFO(found["text"]);
  CHECK(found["text"].get<std::string>().find("400,000 chunks of 2 iterations, which take 200 ns each") !=
        std::string::npos);
  CHECK(found["advice"].get<std::string>().find("schedule(dynamic, 200)") != std::string::npos);
  const Json few = finding(report_with(50, 100, 4'000), "small-chunks");
  CHECK(few["advice"].get<std::string>().find("schedule(static): all of the loop") != std::string::npos);
  CHECK(report_with(0)["verdict"]["findings"].empty());       // not known
  CHECK(report_with(20'000)["verdict"]["findings"].empty());  // 2 us each
}

TEST_CASE("no advice follows from a run that was killed, is cut, or has losses: that is said instead") {
  const auto verdict_with = [](std::vector<Property> properties) {
    TraceBuilder trace = imbalance_3_to_1();
    for (Property& property : properties) trace.editable().properties.push_back(std::move(property));
    return report_of(trace)["verdict"];
  };
  const Json killed = verdict_with({{"TRACER::RUN::ENDED", "signal"}, {"TRACER::RUN::SIGNAL", "9"}});
  CHECK(killed["state"] == "killed");
  CHECK(killed["findings"].empty());
  CHECK(killed["summary"].get<std::string>().find("killed by signal 9") != std::string::npos);
  CHECK(verdict_with({{"TRACER::ENDING", "none: killed, crashed or ended without telling"}})["state"] == "killed");
  CHECK(verdict_with({{"TRACER::EVENTS_LOST", "12"}})["state"] == "incomplete");
  CHECK(verdict_with({{"TRACER::EVENTS_LOST", "0"}})["state"] == "ok");
  CHECK(verdict_with({{"TRACER::RUN::ENDED", "without telling"}, {"TRACER::RUN::EXIT_STATUS", "0"}})["state"] == "ok");
}

TEST_CASE("threads without processors are the verdict, and nothing else is advised then") {
  const auto verdict_on = [](const char* processors, const char* online = "2") {
    TraceBuilder trace = imbalance_3_to_1();
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", processors});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", online});
    trace.editable().properties.push_back({"TRACER::RUN::ENV::OMP_NUM_THREADS", "4"});
    for (Location& location : trace.editable().locations) {
      location.properties.push_back({"TRACER::PROCESSOR_NS", "15000000"});
      location.properties.push_back({"TRACER::DELAY_NS", "15000000"});
    }
    const Json report = report_of(trace);
    check_adds_up(report["account"]);
    check_near(report["account"]["time"]["descheduled_ns"], 60e6);
    return report["verdict"];
  };
  const Json shared = verdict_on("2");
  CHECK(shared["state"] == "oversubscribed");
  REQUIRE(shared["findings"].size() == 1);
  CHECK(shared["findings"][0]["id"] == "oversubscription");
  CHECK(shared["findings"][0]["advice"].get<std::string>().find("OMP_NUM_THREADS=2") != std::string::npos);
  CHECK(shared["findings"][0]["text"].get<std::string>().find("4 threads share 2 processors:") == 0);
  CHECK(shared["findings"][0]["advice"].get<std::string>().find("kept to") == std::string::npos);
  const Json kept = verdict_on("1", "64");  // a mask, though the machine has enough
  REQUIRE(kept["findings"].size() == 1);
  CHECK(kept["findings"][0]["text"].get<std::string>().find("4 threads share 1 processor:") == 0);
  const std::string advice = kept["findings"][0]["advice"];
  CHECK(advice.find("kept to 1 of the 64 processors") != std::string::npos);
  CHECK(advice.find("allow it 4, or run with OMP_NUM_THREADS=1;") != std::string::npos);
  const Json busy = verdict_on("8");  // others were using the processors
  CHECK(busy["state"] == "ok");
  CHECK(busy["notes"][0]["id"] == "busy-machine");
  CHECK(busy["findings"][0]["sure"] == "low");
  TraceBuilder part = imbalance_3_to_1();  // of which the kernel said nothing
  part.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "2"});
  const Json doubtful = report_of(part)["verdict"];
  REQUIRE(doubtful["notes"].size() == 1);
  CHECK(doubtful["notes"][0]["text"].get<std::string>().find("4 threads share 2 processors; how long") == 0);
  CHECK(doubtful["findings"][0]["sure"] == "low");
}

TEST_CASE("what has to be changed for fewer threads is where their number comes from") {
  const auto advice_on = [](TraceBuilder trace, const char* omp_num_threads) {
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", "2"});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "2"});
    if (omp_num_threads != nullptr)
      trace.editable().properties.push_back({"TRACER::RUN::ENV::OMP_NUM_THREADS", omp_num_threads});
    for (Location& location : trace.editable().locations) {
      location.properties.push_back({"TRACER::PROCESSOR_NS", "15000000"});
      location.properties.push_back({"TRACER::DELAY_NS", "15000000"});
    }
    const Json verdict = report_of(trace)["verdict"];
    REQUIRE(verdict["findings"].size() == 1);
    CHECK(verdict["findings"][0]["id"] == "oversubscription");
    return verdict["findings"][0]["advice"].get<std::string>();
  };
  CHECK(advice_on(imbalance_3_to_1(), "4").find("Run with OMP_NUM_THREADS=2, or on more") == 0);
  for (const char* other : {"8", static_cast<const char*>(nullptr)}) {
    const std::string advice = advice_on(imbalance_3_to_1(), other);
    CHECK(advice.find("Run with 2 threads (the program itself asks for 4, by num_threads at parallel") == 0);
  }
  TraceBuilder nested{4};
  const auto parallel = nested.region("parallel", RegionRole::parallel),
             inner = nested.region("parallel", RegionRole::parallel, 12);
  auto& definitions = nested.editable();
  definitions.groups[1].members = {0, 1};
  for (const std::uint32_t first : {0u, 1u}) {
    definitions.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {first, first + 2}});
    definitions.comms.push_back(
        {"Thread team", static_cast<std::uint32_t>(definitions.groups.size() - 1), undefined_ref});
  }
  nested.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) nested.team_begin(thread, start, parallel);
  for (const LocationRef thread : {0u, 1u, 2u, 3u}) {
    if (thread == 1) nested.simple(1, start + ms, EventType::thread_fork, 0, 2);
    nested.team_begin(thread, start + ms, inner, 1 + thread % 2);
    nested.team_end(thread, start + 40 * ms, inner, 1 + thread % 2);
    if (thread == 1) nested.simple(1, start + 40 * ms, EventType::thread_join);
  }
  for (const LocationRef thread : {0u, 1u}) nested.team_end(thread, start + 41 * ms, parallel);
  nested.simple(0, start + 42 * ms, EventType::program_end);
  CHECK(advice_on(std::move(nested), "2")
            .find("Run with OMP_NUM_THREADS=2,1 or OMP_MAX_ACTIVE_LEVELS=1 (parallel regions are nested, 2 deep,") ==
        0);
}

TEST_CASE("what a virtual machine's host took is said, and what is no more than that is no finding") {
  const auto verdict_on = [](const char* stolen) {
    TraceBuilder trace = imbalance_3_to_1();
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_ONLINE", "4"});
    trace.editable().properties.push_back({"TRACER::RUN::STOLEN_NS", stolen});
    return report_of(trace)["verdict"];
  };
  const Json quiet = verdict_on("1000000");
  CHECK(quiet["notes"].empty());
  CHECK(quiet["findings"][0]["id"] == "imbalance");
  CHECK(quiet["findings"][0]["sure"] != "low");
  const Json some = verdict_on("12000000");
  CHECK(some["notes"][0]["id"] == "stolen");
  CHECK(some["findings"][0]["sure"] == "low");
  CHECK(verdict_on("100000000")["findings"].empty());
}

TEST_CASE("the serial part is told with what it costs, and the speed-up that this share means") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start + 50 * ms, parallel);
    trace.enter(thread, start + 100 * ms, barrier);
    trace.leave(thread, start + 100 * ms, barrier);
    trace.team_end(thread, start + 100 * ms, parallel);
  }
  trace.simple(0, start + 100 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& serial = finding(report, "serial");
  check_near(serial["lost_ns"], 150e6);
  check_near(serial["win_ns"], 37.5e6);
  // Half of the parallel run is serial: 0.5 + 0.5 x 4 times one thread's speed.
  CHECK(serial["text"].get<std::string>().find("2.5 times as fast") != std::string::npos);
}
