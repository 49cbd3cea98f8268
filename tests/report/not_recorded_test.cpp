// SPDX-License-Identifier: BSD-3-Clause
// What was not recorded: no finding, number or prediction comes from its absence.
#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/run_facts.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/timeline.hpp"
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
    const std::string note = note_in(report, "groups-not-recorded");
    CHECK(has(note, "record tasks"));
    CHECK(has(note, "Not looked for without that: "));
    CHECK(has(note, "imbalance"));
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
    CHECK(has(report["verdict"]["summary"], "Record them too."));
  }
  for (const char* groups : {"-sync", "-wait", "-dispatch,-flush", "+chunks", "nonsense"}) {  // barriers are there
    INFO(groups);
    const Json report = report_with(busy_pair(), groups);
    CHECK(note_in(report, "groups-not-recorded").empty());
    CHECK(report["verdict"]["summary"] == summary);
  }
}

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

namespace {

class SlicesNotRecorded final : public TimelineVisitor {
 public:
  explicit SlicesNotRecorded(std::uint32_t name) : name_{name} {}
  void open(const Slice& slice) override { CHECK(slice.depth == depth_of_[slice.location]++); }
  void close(const Slice& slice) override {
    CHECK(slice.depth == --depth_of_[slice.location]);
    if (slice.name == name_)
      found.push_back({slice.location, slice.depth, (slice.begin - start) / ms, (slice.end - start) / ms});
  }
  std::vector<std::vector<std::uint64_t>> found;  ///< location, depth, begin and end in ms

 private:
  std::uint32_t name_;
  std::map<LocationRef, std::uint32_t> depth_of_;
};

std::vector<std::vector<std::uint64_t>> not_recorded_in(TraceBuilder& trace) {
  SlicesNotRecorded slices{name_of_not_recorded(trace.definitions())};
  report::Replay replay{trace.definitions()};
  report::Timeline timeline{trace.definitions(), slices};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  return slices.found;
}

}  // namespace

TEST_CASE("a timeline has a slice of each time that recording was off, inside of what is open then") {
  TraceBuilder outside = paused_for(200 * ms);
  std::vector<std::vector<std::uint64_t>> found = not_recorded_in(outside);
  std::sort(found.begin(), found.end());
  CHECK(found ==
        std::vector<std::vector<std::uint64_t>>{{0, 0, 51, 251}, {1, 0, 51, 251}, {2, 0, 51, 251}, {3, 0, 51, 251}});
  TraceBuilder inside{2};
  const auto parallel = inside.region("parallel", RegionRole::parallel);
  for (LocationRef thread = 0; thread < 2; ++thread) {
    inside.team_begin(thread, start, parallel);
    inside.simple(thread, start + 100 * ms, EventType::measurement_on_off, 0, 0);
  }
  inside.simple(0, start + 400 * ms, EventType::measurement_on_off, 0, 1);
  inside.team_end(0, start + 500 * ms, parallel);  // the other thread's recording stays off
  found = not_recorded_in(inside);
  std::sort(found.begin(), found.end());
  CHECK(found == std::vector<std::vector<std::uint64_t>>{{0, 1, 100, 400}, {1, 1, 100, 500}});
}

TEST_CASE("while recording is off and there are events all the same, the times between them are not recorded") {
  TraceBuilder trace{1};
  const auto call = trace.region("call", RegionRole::function, 0, Paradigm::user);
  trace.simple(0, start, EventType::measurement_on_off, 0, 0);
  trace.enter(0, start + 10 * ms, call);
  trace.leave(0, start + 30 * ms, call);
  trace.simple(0, start + 60 * ms, EventType::measurement_on_off, 0, 1);
  trace.enter(0, start + 70 * ms, call);
  trace.leave(0, start + 80 * ms, call);
  CHECK(not_recorded_in(trace) ==
        std::vector<std::vector<std::uint64_t>>{{0, 0, 0, 10}, {0, 1, 10, 30}, {0, 0, 30, 60}});
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

TEST_CASE("what a trace lacks its parts lack as well; other counts are of the whole") {
  TraceBuilder trace = imbalance_3_to_1();
  for (const char* name : {"DEVICE_RECORDS_LOST", "DEVICE_RECORDS_NOT_WRITTEN", "CLOCK_JUMPS", "tool.start_ns"})
    trace.editable().properties.push_back({std::string{"TRACER::COUNTER::"} + name, "3"});
  report::Part part;
  part.to = 20 * ms;
  const auto cut = report::part_of(trace.set_clock(), part);
  CHECK(report::counter_of(cut->definitions(), "device.records_lost") == 3);
  CHECK(report::counter_of(cut->definitions(), "TOOL_START_NS") == 0);
  const Json report = report_of(*cut);
  CHECK(report["verdict"]["state"] == "incomplete");
  CHECK_FALSE(note_in(report, "incomplete").empty());
  CHECK_FALSE(note_in(report, "clock-jumped").empty());
  report::remove_sums(trace.editable());  // as the phases of a trace do
  CHECK(report::counter_of(trace.definitions(), "CLOCK_JUMPS") == 3);
}
