// SPDX-License-Identifier: BSD-3-Clause
// What the report says of a trace that lacks something.
#include "catch.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/known_traces.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("of a trace with losses one note has how much is missing, why, and what helps against that") {
  const auto note_with = [](std::vector<Property> properties) {
    TraceBuilder trace = imbalance_3_to_1();
    for (Property& property : properties) trace.editable().properties.push_back(std::move(property));
    std::string text;
    std::size_t notes = 0;
    const Json report = report_of(trace);
    for (const Json& note : report["verdict"]["notes"])
      if (note["id"] == "incomplete") text = note["text"], ++notes;
    CHECK(notes <= 1);
    return text;
  };
  const Property lost{"TRACER::EVENTS_LOST", "12000"}, killed{"TRACER::RUN::ENDED", "signal"};
  CHECK(note_with({lost,
                   {"TRACER::COUNTER::LOST_0_WORK", "7000"},
                   {"TRACER::COUNTER::LOST_1_WORK", "5000"},
                   {"TRACER::REPAIRED::PLACES_WHERE_EVENTS_WERE_LOST", "2"},
                   {"TRACER::COUNTER::STOPPED_SIZE_LIMIT", "1"}}) ==
        "The trace is incomplete: 12,000 events are missing; recording stopped at TRACER_SIZE_LIMIT. Times and counts "
        "are too small; record again with a larger TRACER_SIZE_LIMIT or a filter.");
  CHECK(has(note_with({lost, {"TRACER::COUNTER::STOPPED_FULL_RING", "1"}}), "again with TRACER_ON_FULL=wait"));
  CHECK(has(note_with({lost, {"TRACER::COUNTER::STOPPED_FAILED_WRITE", "1"}}), "again with more room for the trace"));
  CHECK(has(note_with({lost, {"TRACER::SETTING::TRACER_ON_FULL", "newest"}}), "again with more TRACER_MEMORY"));
  CHECK(has(note_with({lost, {"TRACER::COUNTER::LOST_COUNTS", "2"}}), "at least 12,000 events are missing."));
  CHECK(has(note_with({lost, {"TRACER::COUNTER::LOST_THREADS", "2"}}),
            "at least 12,000 events are missing; there was no memory for the rings of some threads."));
  CHECK(has(note_with({lost, {"TRACER::COUNTER::LOST_THREADS", "2"}}),
            "again with more TRACER_MEMORY, or less where a limit of the process is the reason (tracer info --all)."));
  CHECK(has(note_with({{"TRACER::EVENTS_LOST", "1"}, killed, {"TRACER::COUNTER::STOPPED_SIZE_LIMIT", "1"}}),
            "at least 1 event is missing; recording stopped"));
  CHECK(has(note_with({lost, killed, {"TRACER::COUNTER::RINGS_PRIVATE", "2"}}), "TRACER_SPOOL"));
  CHECK_FALSE(has(note_with({lost, {"TRACER::COUNTER::RINGS_PRIVATE", "2"}}), "TRACER_SPOOL"));
  CHECK(has(note_with({lost}), "12,000 events are missing. Times and counts are too small. The warnings"));
  CHECK(has(note_with({{"TRACER::COUNTER::DEVICE_RECORDS_LOST", "3"}}), "records of devices are missing"));
  CHECK(has(note_with({{"TRACER::COUNTER::DEVICE_RECORDS_NOT_WRITTEN", "3"}}), "again with more room for the trace"));
  CHECK(note_with({{"TRACER::COUNTER::SAMPLES_LOST", "3"}}).empty());        // they are no events
  CHECK(note_with({{"TRACER::COUNTER::STOPPED_SIZE_LIMIT", "1"}}).empty());  // nothing came after it
}
