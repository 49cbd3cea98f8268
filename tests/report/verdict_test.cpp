// SPDX-License-Identifier: BSD-3-Clause
// Where the time went and what is to be changed: the account and the verdict of traces of known structure.
#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("a run of one thread is named as such where the process has processors for more") {
  const auto note_of = [](const char* processors, unsigned threads, bool in_region) {
    TraceBuilder trace{threads};
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    trace.editable().properties.push_back({"TRACER::RUN::PROCESSORS_USABLE", processors});
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < threads && in_region; ++thread) {
      trace.team_begin(thread, start, parallel);
      trace.team_end(thread, start + 500 * ms, parallel);
    }
    trace.simple(0, start + 1000 * ms, EventType::program_end);
    return note_in(report_of(trace), "one-thread");
  };
  CHECK(note_of("4", 1, false).find("No parallel region ran: one thread worked, on one of 4 processors") == 0);
  CHECK(note_of("4", 1, true).find("Every parallel region ran with one thread") == 0);
  CHECK(note_of("4", 2, true).empty());
  CHECK(note_of("1", 1, false).empty());
}

TEST_CASE("a library of target constructs that reported none is noted") {
  const auto note_of = [](const char* what) {
    TraceBuilder trace{1};
    trace.editable().properties.push_back({"TRACER::NOT_REPORTED", what});
    trace.simple(0, start, EventType::program_begin, 0, 1);
    trace.simple(0, start + 1000 * ms, EventType::program_end);
    return note_in(report_of(trace), "no-target-regions");
  };
  CHECK(note_of("target constructs of /lib/libomptarget.so").find("/lib/libomptarget.so is loaded") == 0);
  CHECK(note_of("code compiled by GCC").empty());
}

TEST_CASE("the serial time of a run without a parallel region is the program's, but for the process' start") {
  TraceBuilder trace{1};
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 1000 * ms, EventType::program_end);
  trace.editable().properties.push_back({"TRACER::RUN::PROCESS_START_NS", std::to_string(start)});
  trace.editable().properties.push_back({"TRACER::RUN::PROCESS_END_NS", std::to_string(start + 1000 * ms)});
  trace.set_clock();
  const Json report = report_of(trace);
  std::uint64_t own = 0;
  for (const Json& cell : report["account"]["details"])
    if (cell["place"] == "serial" && cell["of"] == "serial") own += cell["ns"].get<std::uint64_t>();
  check_near(own, 970e6);
  CHECK(note_in(report, "too-short").empty());
}

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

TEST_CASE("the executions of an uneven loop are counted once, also where its threads wait again at the region's end") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier, 12),
             join = trace.region("join barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (unsigned execution = 0; execution < 3; ++execution) {
    const std::uint64_t begin = start + execution * 50 * ms;
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, begin, parallel);
      trace.enter(thread, begin, loop);
      trace.enter(thread, begin + (thread == 3 ? 40 : 10) * ms, barrier);
      trace.leave(thread, begin + 40 * ms, barrier);
      trace.leave(thread, begin + (thread == 3 ? 42 : 41) * ms, loop);
      trace.enter(thread, begin + (thread == 3 ? 42 : 41) * ms, join);
      trace.leave(thread, begin + 42 * ms, join);
      trace.team_end(thread, begin + 42 * ms, parallel);
    }
  }
  trace.simple(0, start + 150 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& first = report["verdict"]["findings"][0];
  CHECK(first["id"] == "imbalance");
  check_near(first["lost_ns"], 279e6);
  CHECK(first["text"].get<std::string>().find(", in 3 executions.") != std::string::npos);
}

TEST_CASE("what is tried fits the loop's schedule") {
  const auto advice = [](std::string schedule, std::uint64_t iterations, const char* inside = nullptr) {
    TraceBuilder trace{4};
    trace.editable().strings.push_back(schedule);
    trace.editable().parameters = {{"schedule", EventType::parameter_string},
                                   {"iterations", EventType::parameter_uint}};
    const auto parallel = trace.region("parallel", RegionRole::parallel),
               loop = trace.region("for", RegionRole::loop, 11),
               barrier = trace.region("implicit barrier", RegionRole::implicit_barrier),
               chunk = trace.region(inside != nullptr ? inside : "", RegionRole::code, 11);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, start, loop);
      trace.simple(thread, start, EventType::parameter_string, 0, 2);
      trace.simple(thread, start, EventType::parameter_uint, 1, iterations);
      if (inside != nullptr) {
        trace.enter(thread, start, chunk);
        trace.leave(thread, start + (thread + 1) * 10 * ms, chunk);
      }
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
  CHECK(advice("dynamic", 1000, "loop chunk").find("dynamic already") != std::string::npos);
  CHECK(advice("static", 1000, "a range of the program's").find("try schedule(dynamic") != std::string::npos);
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

TEST_CASE("what regions inside of a loop's iterations take is time of its chunks") {
  TraceBuilder trace{2};
  trace.editable().parameters = {{"chunks", EventType::parameter_uint}};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             loop = trace.region("for", RegionRole::loop, 11),
             inside = trace.region("critical sblock", RegionRole::critical_sblock, 12);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.enter(thread, start, loop);
    for (std::uint64_t i = 0; i < 1000; ++i) {
      trace.enter(thread, start + i * 40 * us, inside);
      trace.leave(thread, start + i * 40 * us + 38 * us, inside);
    }
    trace.simple(thread, start + 40 * ms, EventType::parameter_uint, 0, 4000);
    trace.leave(thread, start + 40 * ms, loop);
    trace.team_end(thread, start + 40 * ms, parallel);
  }
  trace.simple(0, start + 40 * ms, EventType::program_end);
  const Json report = report_of(trace);
  for (const Json& one : report["verdict"]["findings"]) CHECK(one["id"] != "small-chunks");
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

TEST_CASE("where no place has its line it is said why") {
  const auto note_with = [](std::vector<Property> properties, bool has_line) {
    TraceBuilder trace = imbalance_3_to_1();
    auto& definitions = trace.editable();
    for (Region& region : definitions.regions) {
      region.begin_line = region.end_line = has_line ? 7 : 0;
      region.source_file = "/usr/lib/libsolve.so.3";
    }
    const RegionRef other = trace.region("barrier", RegionRole::barrier, 0);
    definitions.regions[other].name = "!$omp barrier @0x1a2f in libsolve";
    definitions.regions[other].source_file = "/usr/lib/libsolve.so.3";
    definitions.properties.insert(definitions.properties.end(), properties.begin(), properties.end());
    const Json report = report_of(trace);
    for (const Json& note : report["verdict"]["notes"])
      if (note["id"] == "no-lines") return note["text"].get<std::string>();
    return std::string{};
  };
  const std::string begin = "Places have addresses instead of lines: ";
  CHECK(note_with({}, false) == begin + "libsolve has no debug information (build it with -g, beside -O2).");
  CHECK(note_with({{"TRACER::NO_LINES", "libdw is not installed"}}, false) == begin + "libdw is not installed.");
  CHECK(note_with({{"TRACER::NO_LINES::/usr/bin/app", "another file than the one that ran"}}, false) ==
        begin + "/usr/bin/app is another file than the one that ran.");
  CHECK(note_with({}, true).empty());  // some have theirs
  CHECK(note_with({{"TRACER::NO_LINES::/usr/lib/libsolve.so.3", "not there any more"}}, true) ==
        "Some places have addresses instead of lines: /usr/lib/libsolve.so.3 is not there any more.");
  CHECK(note_with({{"TRACER::NO_LINES::/usr/bin/app", "not there any more"}}, true).empty());  // it has no such place
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

TEST_CASE("a clock that jumped, as of a machine that slept, is said, and lowers how sure findings are") {
  TraceBuilder trace = imbalance_3_to_1();
  trace.editable().properties.push_back({"TRACER::COUNTER::CLOCK_JUMPS", "1"});
  const Json verdict = report_of(trace)["verdict"];
  CHECK(verdict["notes"][0]["id"] == "clock-jumped");
  CHECK(verdict["findings"][0]["sure"] != "high");
  trace.editable().properties.back() = {"TRACER::RUN::ASLEEP_NS", "5000000000"};  // and no clock ran on meanwhile
  CHECK(note_in(report_of(trace), "machine-slept").find("slept for 5") != std::string::npos);
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
  // All of it is the program's start.
  const std::string advice = serial["advice"];
  CHECK(advice.find("What is before the first parallel region is the program's start") == 0);
  CHECK(advice.find("tracer report --from 0.050s.") != std::string::npos);
  CHECK(serial["sure"] == "medium");
}

TEST_CASE("the longest serial part is the program's own, without its process' start and end, as the sum is") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start + 790 * ms, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start + 800 * ms, parallel);
    trace.team_end(thread, start + 1300 * ms, parallel);
  }
  trace.simple(0, start + 1300 * ms, EventType::program_end);
  for (const auto& [name, ns] : {std::pair{"PROCESS_START_NS", start},
                                 {"PROCESS_END_NS", start + 1340 * ms},
                                 {"PROCESSOR_AT_START_NS", 20 * ms},
                                 {"DELAY_AT_START_NS", 370 * ms}})
    trace.editable().properties.push_back({std::string{"TRACER::RUN::"} + name, std::to_string(ns)});
  trace.set_clock();
  const Json report = report_of(trace);
  const Json& serial = finding(report, "serial");
  check_near(serial["lost_ns"], 3 * 400e6);
  const std::string text = serial["text"];
  INFO(text);
  CHECK(text.find("400 ms of 1.34 s (30 %) are serial") == 0);
  CHECK(text.find("The longest part, 400 ms, is before the first region") != std::string::npos);
  CHECK(report["account"]["serial_parts"][0]["ns"] == 400 * ms);
  for (const Json& cell : report["account"]["details"]) CHECK(cell["longest_ns"] <= 500 * ms);
}

TEST_CASE("the serial part between regions is the program's own") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const std::uint64_t from : {1u, 60u})
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, start + from * ms, parallel);
      trace.team_end(thread, start + (from + 10) * ms, parallel);
    }
  trace.simple(0, start + 72 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& serial = finding(report, "serial");
  CHECK(serial["text"].get<std::string>().find("The longest part, 49 ms, is between") != std::string::npos);
  CHECK(serial["advice"].get<std::string>().find("Put the costliest serial part into a parallel region") == 0);
}
