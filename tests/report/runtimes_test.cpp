// SPDX-License-Identifier: BSD-3-Clause
// What is said of runtimes that a trace has not, or not to the program's end.
#include "catch.hpp"

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

TEST_CASE("what came behind the end of a runtime that the program outlived is unknown, and no serial work") {
  const auto report_with = [](std::vector<Property> properties) {
    TraceBuilder trace = imbalance_3_to_1();
    for (Property& property : properties) trace.editable().properties.push_back(std::move(property));
    trace.editable().properties.push_back({"TRACER::RUN::ENDED", "return"});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESS_START_NS", std::to_string(start)});
    trace.editable().properties.push_back({"TRACER::RUN::PROCESS_END_NS", std::to_string(start + 1000 * ms)});
    return report_of(trace);
  };
  const Json whole = report_with({}), paused = report_with({{"TRACER::RUN::RUNTIME_ENDED", "before the process"}});
  check_adds_up(paused["account"]);
  CHECK(whole["account"]["time"]["unknown_ns"] == 0);
  CHECK(paused["account"]["time"]["unknown_ns"].get<std::uint64_t>() > 1500 * ms);
  CHECK(paused["account"]["time"]["serial_ns"].get<std::uint64_t>() < 100 * ms);
  CHECK(paused["verdict"]["state"] != "killed");
  CHECK(note_in(whole, "runtime-ended").empty());
  CHECK_FALSE(note_in(paused, "runtime-ended").empty());
}

TEST_CASE("that a second runtime was not recorded is a note") {
  TraceBuilder trace = imbalance_3_to_1();
  CHECK(note_in(report_of(trace), "not-recorded").empty());
  trace.editable().properties.push_back({"TRACER::COUNTER::OMPT_RUNTIMES_NOT_RECORDED", "1"});
  CHECK(note_in(report_of(trace), "not-recorded").find("another OpenMP runtime") != std::string::npos);
}
