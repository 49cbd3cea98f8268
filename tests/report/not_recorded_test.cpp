// SPDX-License-Identifier: BSD-3-Clause
// What was not recorded: no finding, number or prediction comes from its absence.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/what_if/what_if.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

TraceBuilder recorded_with(TraceBuilder trace, std::string groups) {
  trace.editable().properties.push_back({"TRACER::SETTING::TRACER_RECORD", std::move(groups)});
  return trace;
}

Json report_with(TraceBuilder trace, std::string groups) {
  TraceBuilder recorded = recorded_with(std::move(trace), std::move(groups));
  return report_of(recorded);
}

/// Two threads that work in a region all the time.
TraceBuilder busy_pair() {
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.team_end(thread, start + 500 * ms, parallel);
  }
  trace.simple(0, start + 500 * ms, EventType::program_end);
  return trace;
}

}  // namespace

TEST_CASE("where tasks are not recorded no thread at a barrier is said to have nothing to do") {
  CHECK(has_finding(report_with(imbalance_3_to_1(), "default"), "imbalance"));
  CHECK(note_in(report_with(imbalance_3_to_1(), "default"), "groups-not-recorded").empty());
  for (const char* groups : {"-tasks", "sync,work", "default; -tasks"}) {
    INFO(groups);
    const Json report = report_with(imbalance_3_to_1(), groups);
    CHECK_FALSE(has_finding(report, "imbalance"));
    CHECK_FALSE(note_in(report, "groups-not-recorded").empty());
    for (const Json& one : report["verdict"]["findings"]) CHECK(one["sure"] == "low");
  }
}

TEST_CASE("where waiting is not recorded work is no sign that nothing stands out") {
  const std::string summary = report_with(busy_pair(), "default")["verdict"]["summary"];
  CHECK(has(summary, "Nothing stands out"));
  for (const char* groups : {"-sync,-wait", "work,mutex,tasks", "-mutex"}) {
    INFO(groups);
    const Json report = report_with(busy_pair(), groups);
    CHECK_FALSE(note_in(report, "groups-not-recorded").empty());
    CHECK_FALSE(has(report["verdict"]["summary"], "stands out"));
  }
  for (const char* groups : {"-sync", "-wait", "-dispatch,-flush", "+chunks", "nonsense"}) {  // barriers are there
    INFO(groups);
    const Json report = report_with(busy_pair(), groups);
    CHECK(note_in(report, "groups-not-recorded").empty());
    CHECK(report["verdict"]["summary"] == summary);
  }
}

namespace {

/// Four threads in a region of 50 ms, recording off for `off`, and the region again.
TraceBuilder paused_for(std::uint64_t off) {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  std::uint64_t now = start;
  for (const bool is_first : {true, false}) {
    for (LocationRef thread = 0; thread < 4; ++thread) {
      trace.team_begin(thread, now, parallel);
      trace.team_end(thread, now + 50 * ms, parallel);
      if (!is_first) continue;
      trace.simple(thread, now + 51 * ms, EventType::measurement_on_off, 0, 0);
      trace.simple(thread, now + 51 * ms + off, EventType::measurement_on_off, 0, 1);
    }
    now += 52 * ms + off;
  }
  trace.simple(0, now - off, EventType::program_end);
  return trace;
}

}  // namespace

TEST_CASE("while recording is off the program is not serial: what it does then is unknown") {
  TraceBuilder trace = paused_for(200 * ms);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(report["account"]["time"]["unknown_ns"] == 4 * 200 * ms);
  CHECK(report["account"]["time"]["serial_ns"] == 4 * ms);
  CHECK(report["account"]["time"]["serial_idle_ns"] == 3 * 4 * ms);
  CHECK(report["account"]["time"]["work_ns"] == 4 * 100 * ms);
  CHECK_FALSE(has_finding(report, "serial"));
  CHECK(has(note_in(report, "paused"), "Recording was off for 200 ms of 304 ms"));
  for (const Json& part : report["account"]["serial_parts"]) CHECK(part["ns"].get<std::uint64_t>() <= 2 * ms);
}

TEST_CASE("recording that is off within a region is no work of its threads, and off until the end it stays unknown") {
  const bool goes_on = GENERATE(true, false);
  TraceBuilder trace{2};
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.simple(thread, start + 100 * ms, EventType::measurement_on_off, 0, 0);
    if (!goes_on) continue;
    trace.simple(thread, start + 400 * ms, EventType::measurement_on_off, 0, 1);
    trace.team_end(thread, start + 500 * ms, parallel);
  }
  trace.simple(0, start + 500 * ms, EventType::program_end);
  const Json report = report_of(trace);
  check_adds_up(report["account"]);
  CHECK(report["account"]["time"]["unknown_ns"] == (goes_on ? 2 * 300 * ms : 2 * 400 * ms));
  CHECK(report["account"]["time"]["work_ns"] == (goes_on ? 2 * 200 * ms : 2 * 100 * ms));
  CHECK(has(note_in(report, "paused"), goes_on ? "300 ms of 500 ms" : "400 ms of 500 ms"));
}

TEST_CASE("a prediction takes the time that recording was off for none of the program's") {
  TraceBuilder trace = paused_for(200 * ms);
  const report::WhatIf result = report::what_if(trace, {{8, "", "", -1}});
  CHECK(result.recorded == 104 * ms);
  CHECK(result.serial == 4 * ms);
  CHECK(result.baseline.wall == 104 * ms);
  CHECK(result.paused == 200 * ms);
  REQUIRE(result.doubts().size() == 1);
  CHECK(has(result.doubts()[0], "off for 200 ms"));
}

TEST_CASE("what is not recorded predicts nothing") {
  const auto asked = [](std::string groups) {
    TraceBuilder trace = recorded_with(busy_pair(), std::move(groups));
    return report::what_if(trace, {{4, "", "", -1}});
  };
  CHECK(asked("default").unseen == 0);
  CHECK(asked("default").why_none().empty());
  CHECK(asked("default").doubts().empty());
  CHECK(asked("-work").unseen == 1);  // of any runtime
  CHECK(asked("-sync").why_none().empty());
  CHECK(has(asked("-sync,-wait").why_none(), "barriers are not recorded"));
  REQUIRE(asked("-mutex").doubts().size() == 1);
  CHECK(has(asked("-mutex").doubts()[0], "Locks are not recorded"));
}

TEST_CASE("a prediction from a part of a run is called that") {
  TraceBuilder trace = busy_pair();
  for (const auto& [name, value] : {std::pair{"TRACER::RUN::ENDED", "unknown"},
                                    {"TRACER::EVENTS_LOST", "12"},
                                    {"TRACER::FILTER", "EXCLUDE implicit*"}})
    trace.editable().properties.push_back({name, value});
  const auto doubts = report::what_if(trace, {}).doubts();
  REQUIRE(doubts.size() == 3);
  CHECK(has(doubts[0], "killed"));
  CHECK(has(doubts[1], "12 events"));
  CHECK(has(doubts[2], "EXCLUDE implicit*"));
}

TEST_CASE("what was seen from outside is judged by nobody") {
  TraceBuilder trace = imbalance_3_to_1();
  trace.editable().properties.push_back({"TRACER::PROVENANCE", "OMPD attach"});
  const Json report = report_of(trace);
  CHECK(report["verdict"]["state"] == "incomplete");
  CHECK(report["verdict"]["findings"].empty());
  CHECK_FALSE(note_in(report, "groups-not-recorded").empty());
  CHECK_FALSE(report::what_if(trace, {}).why_none().empty());
  trace.editable().properties.push_back({"TRACER::EVENTS_LOST", "3"});
  trace.editable().properties.push_back({"TRACER::COUNTER::ATTACH_RECORDS_BEYOND_LIMIT", "3"});
  CHECK(has(note_in(report_of(trace), "incomplete"), "3 events are missing; tracer attach had no room"));
}
