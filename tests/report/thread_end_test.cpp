// SPDX-License-Identifier: BSD-3-Clause
// Threads that end while their process goes on: their time ends with them, in the account and in all that follows.
#include "catch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"
#include "tracer/property_names.hpp"
#include "tracer/thread_end.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000'000;

void ends(TraceBuilder& trace, LocationRef thread, std::uint64_t time) {
  trace.editable().locations[thread].properties.push_back({properties::thread_ended, std::to_string(time)});
}

/// `threads` threads of the program's own, one after the other, each with 1 ms in a region of one thread; then the main
/// thread is alone until the end at 1 s.
TraceBuilder one_after_the_other(unsigned threads, bool are_told) {
  TraceBuilder trace{threads + 1};
  Definitions& d = trace.editable();
  const auto loop = trace.region("for", RegionRole::loop, 12);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (unsigned t = 1; t <= threads; ++t) {
    d.locations[t].name = "Initial thread (" + std::to_string(t) + ")";
    trace.enter(t, start + 2 * t * ms, loop);
    trace.leave(t, start + (2 * t + 1) * ms, loop);
    if (are_told) ends(trace, t, start + (2 * t + 1) * ms);
  }
  trace.simple(0, start + 1000 * ms, EventType::program_end);
  trace.set_clock();
  return trace;
}

/// 10 ms of a main thread beside a worker without an event, which ends at that time.
Json account_beside_worker(std::uint64_t ended) {
  TraceBuilder trace{2};
  trace.editable().locations[1].name = "OMP thread 1";
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(0, start + 10 * ms, EventType::program_end);
  ends(trace, 1, ended);
  trace.set_clock();
  return report_of(trace)["account"];
}

/// The program begins; the first two threads will have teams. The region of these.
RegionRef begin_with_team_of_two(TraceBuilder& trace) {
  Definitions& d = trace.editable();
  const auto group = static_cast<std::uint32_t>(d.groups.size());
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, 1}});
  d.comms.push_back({"Thread team 1", group, undefined_ref});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  return trace.region("parallel", RegionRole::parallel);
}

}  // namespace

TEST_CASE("the account adds up where a thread ended that has no event") {
  check_adds_up(account_beside_worker(start + 8 * ms));
}

TEST_CASE("a worker that ended before the part of the trace begins is absent in all of it") {
  const Json account = account_beside_worker(start - 3 * ms);
  check_adds_up(account);
  CHECK(account["by_thread"][1]["time"]["absent_ns"] == 10 * ms);
}

TEST_CASE("what a thread is charged with ends when the thread does") {
  TraceBuilder trace = one_after_the_other(20, true);
  const Json report = report_of(trace);
  const Json& account = report["account"];
  check_adds_up(account);
  CHECK(account["ended_threads"] == 20);
  CHECK(account["threads_present_at_once"] == 2);
  check_near(account["time"]["serial_ns"], 1000e6 + 20e6);
  CHECK(account["by_thread"][3]["ended_ns"] == start + 7 * ms);
  CHECK(account["by_thread"][3]["time"]["absent_ns"] == 999 * ms);
  CHECK(report["threads"][3]["ended_ns"] == start + 7 * ms);
  for (const Json& finding : report["verdict"]["findings"]) CHECK(finding["id"] != "serial");
  TraceBuilder untold = one_after_the_other(20, false);
  CHECK(report_of(untold)["account"]["time"]["serial_ns"] > 10 * account["time"]["serial_ns"].get<std::uint64_t>());
}

TEST_CASE("what short threads had no processor for before they began says nothing of the run's length") {
  TraceBuilder trace = one_after_the_other(400, true);
  for (LocationRef thread = 1; thread <= 400; ++thread)
    trace.editable().locations[thread].properties.push_back({"TRACER::DELAY_NS", std::to_string(10 * ms)});
  CHECK(note_in(report_of(trace), "too-short") == "");
}

TEST_CASE("an idle worker that empties its buffer is charged once for that time") {
  TraceBuilder trace{2};
  const RegionRef parallel = begin_with_team_of_two(trace);
  for (const std::uint64_t begin : {start + 10 * ms, start + 60 * ms}) {
    for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, begin, parallel);
    for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, begin + 10 * ms, parallel);
    trace.simple(1, begin + 20 * ms, EventType::buffer_flush, 0, begin + 24 * ms);
  }
  trace.simple(0, start + 100 * ms, EventType::program_end);
  trace.set_clock();
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(report["account"]["by_thread"][1]["time"]["tool_ns"] == 8 * ms);
  CHECK(report["account"]["by_thread"][1]["time"]["serial_idle_ns"] == (100 - 20 - 8) * ms);
}

TEST_CASE("a worker idles until it ends, beside teams and while the program is serial") {
  TraceBuilder trace{3};
  const RegionRef parallel = begin_with_team_of_two(trace);
  for (const LocationRef thread : {0u, 1u, 2u}) trace.team_begin(thread, start + 10 * ms, parallel);
  for (const LocationRef thread : {0u, 1u, 2u}) trace.team_end(thread, start + 20 * ms, parallel);
  trace.simple(0, start + 30 * ms, EventType::thread_fork, 0, 2);
  for (const LocationRef thread : {0u, 1u}) {
    trace.simple(thread, start + 30 * ms, EventType::team_begin, 1);
    trace.enter(thread, start + 30 * ms, parallel);
    trace.leave(thread, start + 60 * ms, parallel);
    trace.simple(thread, start + 60 * ms, EventType::team_end, 1);
  }
  trace.simple(0, start + 60 * ms, EventType::thread_join);
  trace.simple(0, start + 100 * ms, EventType::program_end);
  ends(trace, 2, start + 40 * ms);
  trace.set_clock();
  const Json account = report_of(trace)["account"];
  check_adds_up(account);
  const Json& worker = account["by_thread"][2]["time"];
  CHECK(worker["serial_idle_ns"] == 20 * ms);  // before the first team, and between the two
  CHECK(worker["unused_ns"] == 10 * ms);
  CHECK(worker["absent_ns"] == 60 * ms);
}

TEST_CASE("a thread of the program's that never met OpenMP is no idle worker before, between and behind its events") {
  TraceBuilder trace{3};
  const RegionRef parallel = begin_with_team_of_two(trace),
                  range = trace.region("range", RegionRole::function, 10, Paradigm::user);
  trace.editable().properties.push_back({properties::version, "0.1.0"});
  trace.editable().locations[2].name = "Thread 1";
  trace.simple(0, start + 10 * ms, EventType::thread_fork, 0, 2);
  for (const LocationRef thread : {0u, 1u}) {
    trace.simple(thread, start + 10 * ms, EventType::team_begin, 1);
    trace.enter(thread, start + 10 * ms, parallel);
    trace.leave(thread, start + 990 * ms, parallel);
    trace.simple(thread, start + 990 * ms, EventType::team_end, 1);
  }
  trace.simple(0, start + 990 * ms, EventType::thread_join);
  for (const std::uint64_t at : {400u, 600u}) {
    trace.enter(2, start + at * ms, range);
    trace.leave(2, start + (at + 10) * ms, range);
  }
  trace.simple(0, start + 1000 * ms, EventType::program_end);
  ends(trace, 2, start + 610 * ms);
  trace.set_clock();
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  const Json& thread = report["account"]["by_thread"][2]["time"];
  check_near(thread["absent_ns"], 400e6 + 390e6);
  check_near(thread["serial_ns"], 210e6);
  CHECK(thread["unused_ns"] == 0);
  CHECK(thread["serial_idle_ns"] == 0);
  CHECK(report["verdict"]["findings"].empty());
}

TEST_CASE("what threads lose that end before their process is won among all that were there then") {
  TraceBuilder trace{4};  // omp_pause_resource_all() behind the only region
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start + 200 * ms, parallel);
    trace.enter(thread, start + (thread == 0 ? 700 : 250) * ms, barrier);
    trace.leave(thread, start + 700 * ms, barrier);
    trace.team_end(thread, start + 700 * ms, parallel);
    if (thread != 0) ends(trace, thread, start + 700 * ms);
  }
  trace.simple(0, start + 2700 * ms, EventType::program_end);
  trace.set_clock();
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  check_near(finding(report, "imbalance")["lost_ns"], 3 * 450e6);
  check_near(finding(report, "imbalance")["win_ns"], 3 * 450e6 / 4);
  check_near(finding(report, "serial")["lost_ns"], 3 * 200e6);  // behind it nobody idles
  check_near(finding(report, "serial")["win_ns"], 3 * 200e6 / 4);
  const std::string text = finding(report, "serial")["text"];
  INFO(text);
  CHECK(text.find("200 ms of 2.7 s (7 %) are serial: one thread works outside of parallel regions and 3 idle") == 0);
  CHECK(text.find("The longest part, 200 ms, is before the first region") != std::string::npos);
}

TEST_CASE("a worker that replaces one that ended was not there before") {
  TraceBuilder trace{6};  // as libgomp's target regions on the host: a team of two each, with a new worker
  const RegionRef parallel = begin_with_team_of_two(trace);
  Definitions& d = trace.editable();
  for (LocationRef worker = 1; worker < 6; ++worker) {
    const std::uint64_t begin = start + worker * 20 * ms, end = begin + 10 * ms;
    const auto group = static_cast<std::uint32_t>(d.groups.size()), comm = static_cast<CommRef>(d.comms.size());
    d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, worker}});
    d.comms.push_back({"Thread team", group, undefined_ref});
    trace.simple(0, begin, EventType::thread_fork, 0, 2);
    for (const LocationRef thread : {LocationRef{0}, worker}) {
      trace.simple(thread, begin, EventType::team_begin, comm);
      trace.enter(thread, begin, parallel);
      trace.leave(thread, end, parallel);
      trace.simple(thread, end, EventType::team_end, comm);
    }
    trace.simple(0, end, EventType::thread_join);
    ends(trace, worker, end + 2 * ms);
  }
  trace.simple(0, start + 200 * ms, EventType::program_end);
  trace.set_clock();
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(report["account"]["threads_present_at_once"] == 2);
  CHECK(report["account"]["time"]["unused_ns"] == 0);
  CHECK(report["account"]["by_thread"][5]["time"]["absent_ns"] == (100 + 88) * ms);
  for (const Json& finding : report["verdict"]["findings"]) CHECK(finding["id"] != "unused-threads");
  const auto check_even = [](const Json& balance) {
    CHECK(balance["threads"] == 2);
    CHECK(balance["max_over_mean"] == 1.0);
    CHECK(balance["imbalance"] == 0.0);
  };
  CHECK(report["parallel_regions"][0]["members"].size() == 6);
  check_even(report["parallel_regions"][0]["balance"]);
  check_even(report["constructs"][0]["balance"]);
}

TEST_CASE("a worker counts with the one whose number it has only where that one had ended for good") {
  constexpr std::uint64_t never = 0;
  const auto threads_in = [](std::uint64_t first_ends, bool first_comes_again) {
    TraceBuilder trace{3};
    const RegionRef parallel = begin_with_team_of_two(trace);
    Definitions& d = trace.editable();
    d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {0, 2}});
    d.comms.push_back({"Thread team 2", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
    const auto run = [&](LocationRef worker, std::uint64_t from) {
      const std::uint64_t begin = start + from * ms, end = begin + 10 * ms;
      trace.simple(0, begin, EventType::thread_fork, 0, 2);
      for (const LocationRef thread : {LocationRef{0}, worker}) {
        trace.simple(thread, begin, EventType::team_begin, worker);
        trace.enter(thread, begin, parallel);
        trace.leave(thread, end, parallel);
        trace.simple(thread, end, EventType::team_end, worker);
      }
      trace.simple(0, end, EventType::thread_join);
    };
    run(1, 10);
    run(2, 30);
    if (first_comes_again) run(1, 50);
    trace.simple(0, start + 100 * ms, EventType::program_end);
    if (first_ends != never) ends(trace, 1, start + first_ends * ms);
    trace.set_clock();
    return report_of(trace)["parallel_regions"][0]["balance"]["threads"].get<int>();
  };
  CHECK(threads_in(never, false) == 3);
  CHECK(threads_in(90, true) == 3);
  CHECK(threads_in(25, false) == 2);
  CHECK(threads_in(31, false) == 2);  // it was on its way out as the next one came
}

TEST_CASE("the place of a worker that libgomp ended is idle until another worker takes it") {
  constexpr LocationRef others = 20;  // threads of the program's own that ended long before
  TraceBuilder trace{4 + others};     // teams of 3, 2, 3 and 2
  Definitions& d = trace.editable();
  const auto team_of = [&](std::vector<LocationRef> members) {
    const auto group = static_cast<std::uint32_t>(d.groups.size());
    d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, std::move(members)});
    d.comms.push_back({"Thread team", group, undefined_ref});
    return static_cast<CommRef>(d.comms.size() - 1);
  };
  const auto large = trace.region("parallel", RegionRole::parallel),
             small = trace.region("small", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  const auto run = [&](CommRef comm, RegionRef region, std::vector<LocationRef> threads, std::uint64_t from,
                       std::uint64_t to) {
    const std::uint64_t begin = start + from * ms, end = start + to * ms;
    trace.simple(0, begin, EventType::thread_fork, 0, threads.size());
    for (const LocationRef thread : threads) {
      trace.simple(thread, begin, EventType::team_begin, comm);
      trace.enter(thread, begin, region);
      trace.leave(thread, end, region);
      trace.simple(thread, end, EventType::team_end, comm);
    }
    trace.simple(0, end, EventType::thread_join);
  };
  run(team_of({0, 1, 2}), large, {0, 1, 2}, 10, 15);
  run(team_of({0, 1}), small, {0, 1}, 20, 50);
  run(team_of({0, 1, 3}), large, {0, 1, 3}, 55, 60);
  run(team_of({0, 1}), small, {0, 1}, 65, 95);
  ends(trace, 2, start + 20 * ms);
  ends(trace, 3, start + 65 * ms);
  for (LocationRef other = 4; other < 4 + others; ++other) {
    d.locations[other].name = "Initial thread (" + std::to_string(other) + ")";
    trace.enter(other, start + other * ms / 10, large);
    trace.leave(other, start + (other + 1) * ms / 10, large);
    ends(trace, other, start + (other + 1) * ms / 10);
  }
  trace.simple(0, start + 100 * ms, EventType::program_end);
  trace.set_clock();
  const Json other_runtime = report_of(trace)["account"];
  check_adds_up(other_runtime);
  CHECK(other_runtime["time"]["unused_ns"] == 0);
  d.properties.push_back({"TRACER::RUN::LIBGOMP::0", "4 /usr/lib/libgomp.so.1"});
  const Json report = report_of(trace);
  const Json& account = report["account"];
  check_adds_up(account);
  CHECK(account["threads_present_at_once"] == 4);
  CHECK(account["time"]["unused_ns"] == 60 * ms);
  CHECK(account["time"]["serial_idle_ns"] == 2 * (100 - 70) * ms);
  CHECK(account["by_thread"][2]["time"]["absent_ns"] == 80 * ms);
  CHECK(account["by_thread"][3]["time"]["unused_ns"] == 60 * ms);
  const Json& findings = report["verdict"]["findings"];
  const auto found =
      std::find_if(findings.begin(), findings.end(), [](const Json& one) { return one["id"] == "unused-threads"; });
  REQUIRE(found != findings.end());
  CHECK((*found)["name"].get<std::string>().find("small") != std::string::npos);
}

TEST_CASE("what was open when a process was ended by _exit is where it hung, and no advice follows") {
  const auto verdict_on = [](const char* inside, const char* stopped = "0") {
    TraceBuilder trace{2};
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    const auto lock = trace.region("lock", RegionRole::critical, 14);
    for (const LocationRef thread : {0u, 1u}) {
      trace.team_begin(thread, start, parallel);
      trace.enter(thread, start + 1000 * ms, lock);
      trace.leave(thread, start + 1001 * ms, lock);
      trace.team_end(thread, start + 1001 * ms, parallel);
    }
    trace.set_clock();
    const auto add = [&trace](const char* name, std::string value) {
      trace.editable().properties.push_back({std::string{"TRACER::RUN::"} + name, std::move(value)});
    };
    add("ENDED", "without telling");
    add("EXIT_STATUS", "3");
    add("THREADS_INSIDE_AT_END", inside);
    trace.editable().properties.push_back({"TRACER::COUNTER::STOPPED_SIZE_LIMIT", stopped});
    add("PROCESS_START_NS", std::to_string(start - ms));
    add("START_RESOLUTION_NS", std::to_string(10 * ms));
    add("PROCESS_END_NS", std::to_string(start + 6000 * ms));
    return report_of(trace);
  };
  const Json hung = verdict_on("2");
  CHECK(hung["verdict"]["state"] == "killed");
  CHECK(hung["verdict"]["findings"].empty());
  CHECK(note_in(hung, "killed").find("while 2 threads were inside constructs") != std::string::npos);
  CHECK(note_in(hung, "silence").find("lock") != std::string::npos);
  CHECK(hung["account"]["time"]["unknown_ns"] == 2 * 4999 * ms);
  const Json stopped = verdict_on("2", "1");  // recording did: nobody knows what the threads did after it
  CHECK(note_in(stopped, "silence").empty());
  CHECK(note_in(stopped, "last-seen").empty());
  const Json whole = verdict_on("0");
  CHECK(whole["verdict"]["state"] == "ok");
  CHECK(whole["account"]["time"]["unknown_ns"] == 0);
}

TEST_CASE("the serial time before a kill is the program's, however long nothing was recorded after it") {
  TraceBuilder trace{2};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  work = trace.region("work", RegionRole::function);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, start, parallel);
  for (const LocationRef thread : {0u, 1u}) trace.team_end(thread, start + 100 * ms, parallel);
  trace.enter(0, start + 600 * ms, work);
  trace.set_clock();
  for (const auto& [name, value] : {std::pair{"ENDED", std::string{"signal"}},
                                    {"PROCESS_START_NS", std::to_string(start)},
                                    {"PROCESS_END_NS", std::to_string(start + 6000 * ms)}})
    trace.editable().properties.push_back({std::string{"TRACER::RUN::"} + name, value});
  const Json account = report_of(trace)["account"];
  check_adds_up(account);
  CHECK(account["time"]["unknown_ns"] == 2 * 5400 * ms);
  CHECK(account["serial_parts"][0]["ns"] == 500 * ms);
  std::uint64_t own = 0;
  for (const Json& cell : account["details"])
    if (cell["place"] == "serial" && cell["of"] == "serial") own += cell["ns"].get<std::uint64_t>();
  CHECK(own == 500 * ms);
}
