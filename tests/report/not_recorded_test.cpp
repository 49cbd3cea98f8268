// SPDX-License-Identifier: BSD-3-Clause
// What was not recorded: no finding, number or prediction comes from its absence.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

bool mentions(const std::string& text, const char* part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

TraceBuilder recorded_with(TraceBuilder trace, std::string groups) {
  trace.editable().properties.push_back({"TRACER::SETTING::TRACER_RECORD", std::move(groups)});
  return trace;
}

Json verdict_with(TraceBuilder trace, std::string groups) {
  TraceBuilder recorded = recorded_with(std::move(trace), std::move(groups));
  return report_of(recorded)["verdict"];
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

bool has_finding(const Json& verdict, const char* id) {
  for (const Json& one : verdict["findings"])
    if (one["id"] == id) return true;
  return false;
}

bool has_note(const Json& verdict, const char* id) {
  for (const Json& one : verdict["notes"])
    if (one["id"] == id) return true;
  return false;
}

}  // namespace

TEST_CASE("where tasks are not recorded no thread at a barrier is said to have nothing to do") {
  CHECK(has_finding(verdict_with(imbalance_3_to_1(), "default"), "imbalance"));
  CHECK_FALSE(has_note(verdict_with(imbalance_3_to_1(), "default"), "groups-not-recorded"));
  for (const char* groups : {"-tasks", "sync,work", "default; -tasks"}) {
    INFO(groups);
    const Json verdict = verdict_with(imbalance_3_to_1(), groups);
    CHECK_FALSE(has_finding(verdict, "imbalance"));
    CHECK(has_note(verdict, "groups-not-recorded"));
    for (const Json& one : verdict["findings"]) CHECK(one["sure"] == "low");
  }
}

TEST_CASE("where waiting is not recorded work is no sign that nothing stands out") {
  const std::string summary = verdict_with(busy_pair(), "default")["summary"];
  CHECK(mentions(summary, "Nothing stands out"));
  for (const char* groups : {"-sync,-wait", "work,mutex,tasks", "-mutex"}) {
    INFO(groups);
    const Json verdict = verdict_with(busy_pair(), groups);
    CHECK(has_note(verdict, "groups-not-recorded"));
    CHECK_FALSE(mentions(verdict["summary"], "stands out"));
  }
  for (const char* groups : {"-sync", "-wait", "-dispatch,-flush", "+chunks", "nonsense"}) {  // barriers are there
    INFO(groups);
    const Json verdict = verdict_with(busy_pair(), groups);
    CHECK_FALSE(has_note(verdict, "groups-not-recorded"));
    CHECK(verdict["summary"] == summary);
  }
}
