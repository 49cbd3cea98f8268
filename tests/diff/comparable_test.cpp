// SPDX-License-Identifier: BSD-3-Clause
// What keeps runs from being compared is named.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/catch.hpp"
#include "tests/diff/made_reports.hpp"
#include "tests/report/known_traces.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/diff/diff.hpp"

using namespace tracer::report;
using tracer::test::run_of;

TEST_CASE("runs that are not in their traces as a whole are named, and keep no limit") {
  Report before = run_of(100, 60), killed = run_of(50, 30), running = killed, job = killed, losses = killed,
         empty = killed;
  before.archive = "first";
  killed.facts.ended = "signal";
  running.facts.ended = "running";
  job.processes.resize(3);
  job.processes[1].name = "MPI Rank 1 (no trace)";
  losses.verdict.state = "incomplete";
  empty.verdict.state = "no events";
  for (const auto& [spoiled, lacks] :
       {std::pair{&killed, "it was killed"}, std::pair{&running, "it was still running"},
        std::pair{&job, "1 rank left no trace"}, std::pair{&losses, "events are missing"},
        std::pair{&empty, "it has no events"}}) {
    Report after = *spoiled;
    after.archive = "second";
    const Diff both = diff({before}, {after});
    CHECK_FALSE(both.are_whole_runs);
    REQUIRE(both.notes.size() == 1);
    CHECK(both.notes[0] == std::string{"second is no whole run: "} + lacks + ".");
    CHECK(diff_text(both, {}).find("note:   second is no whole run") != std::string::npos);
    CHECK(nlohmann::json::parse(diff_json(both, {}))["notes"].size() == 1);
  }
}

TEST_CASE("the part up to a chosen time may be whole where the run is not") {
  Report part = run_of(100, 60), perturbed = part;
  part.part = perturbed.part = "from 1 s to 2 s";
  part.part_end = perturbed.part_end = 2000;
  part.verdict.state = "killed";
  part.facts.ended = GENERATE(as<std::string>{}, "signal", "running");
  part.facts.end = 2000;
  perturbed.verdict.state = "perturbed";
  CHECK(diff({part}, {perturbed}).are_whole_runs);
  CHECK(diff({part}, {perturbed}).notes.empty());
  // Events may be missing nevertheless.
  Report fewer = part;
  fewer.verdict.notes.push_back({"incomplete", "The trace is incomplete."});
  REQUIRE(diff({fewer}, {perturbed}).notes.size() == 1);
  CHECK(diff({fewer}, {perturbed}).notes[0].ends_with("is no whole run: events are missing."));
  // One process of a job ended before.
  Report job = part;
  job.processes.resize(2);
  job.processes[0].facts.end = 1000;
  job.processes[1].facts = part.facts;
  CHECK(diff({job}, {perturbed}).are_whole_runs);
  job.processes[0].facts.ended = "signal";
  CHECK_FALSE(diff({job}, {perturbed}).are_whole_runs);
  part.part = "ranks 0";
  part.part_end = Report{}.part_end;
  CHECK_FALSE(diff({part}, {perturbed}).are_whole_runs);
}

TEST_CASE("a run that was killed before the end that was chosen is no whole run") {
  const auto until = [](std::uint64_t to) {
    tracer::test::TraceBuilder trace = tracer::test::even_loop();  // of 25 ms
    for (const auto& [name, value] :
         {std::pair{"ENDED", std::string{"signal"}},
          std::pair{"PROCESS_END_NS", std::to_string(tracer::test::start + 25 * tracer::test::ms)}})
      trace.editable().properties.push_back({std::string{"TRACER::RUN::"} + name, value});
    Part part;
    part.to = to;
    const auto cut = part_of(trace.set_clock(), part);
    return analyze(*cut);
  };
  const Report within = until(20 * tracer::test::ms), behind = until(60 * tracer::test::ms);
  CHECK(within.verdict.state == "killed");
  CHECK(diff({within}, {within}).are_whole_runs);
  const Diff both = diff({within}, {behind});
  CHECK_FALSE(both.are_whole_runs);
  CHECK(std::any_of(both.notes.begin(), both.notes.end(),
                    [](const std::string& note) { return note.ends_with("is no whole run: it was killed."); }));
}

TEST_CASE("traces that do not contain the same are named with what differs") {
  const std::string record = "TRACER::SETTING::TRACER_RECORD", provenance = "TRACER::PROVENANCE";
  Report whole = run_of(100, 60);
  whole.archive = "whole";
  whole.properties.push_back({record, "default"});
  Report filtered = whole, part = whole, fewer = whole, observed = whole, paused = whole, failed = whole;
  filtered.filter = "EXCLUDE critical";
  part.part = "ranks 0";
  fewer.properties = {{record, "-sync"}};
  observed.properties.push_back({provenance, "OMPD attach"});
  paused.event_counts["measurement_on_off"] = 2;
  failed.facts.exit_status = 3;
  CHECK(diff({whole}, {whole}).notes.empty());
  for (Report* const other : {&filtered, &part, &fewer, &observed, &paused, &failed}) {
    other->archive = "other";
    CHECK(diff({*other}, {*other}).notes.empty());
    const Diff both = diff({whole, whole}, {whole, *other});
    CHECK(both.are_whole_runs);
    REQUIRE(both.notes.size() == 1);
    CHECK(both.notes[0].ends_with(" in other."));
  }
  // Of devices, where both sides have any.
  Report hashed = whole, by_host = whole;
  hashed.archive = by_host.archive = "other";
  hashed.has_transfer_content = true;
  by_host.devices.resize(1);
  by_host.devices[0].provider = "host";
  CHECK(diff({whole}, {hashed}).notes.empty());
  CHECK(diff({whole}, {by_host}).notes.empty());
  Report copying = whole;
  copying.data_operations.count = hashed.data_operations.count = 5;
  copying.devices.resize(2);
  copying.devices[0].provider = copying.devices[1].provider = "cupti";
  REQUIRE(diff({copying}, {hashed}).notes.size() == 1);
  CHECK(diff({copying}, {hashed}).notes[0].ends_with("the contents of copies: none in whole; all in other."));
  REQUIRE(diff({copying}, {by_host}).notes.size() == 1);
  CHECK(diff({copying}, {by_host}).notes[0].ends_with("who recorded the devices: cupti in whole; host in other."));
  CHECK(diff({whole}, {fewer}).notes[0].find("TRACER_RECORD: default in whole; -sync in other.") != std::string::npos);
  CHECK(diff({whole}, {filtered}).notes[0].find("filter: none in whole; EXCLUDE critical in other.") !=
        std::string::npos);
  CHECK(diff({whole}, {failed}).notes[0].find("failure of the program: none in whole; exit status 3 in other.") !=
        std::string::npos);
}
