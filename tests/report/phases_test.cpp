// SPDX-License-Identifier: BSD-3-Clause
// Phases that the program named itself: their table, their bands over the timeline, and what lies within them.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/trace_builder.hpp"
#include "tracer/cut/phase_filter.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Lines = std::vector<std::string>;

namespace {

RegionRef add_phase(TraceBuilder& trace, const char* name) {
  return trace.region(name, RegionRole::code, 0, Paradigm::user);
}

class Bands final : public TimelineVisitor {
 public:
  void band(const Band& b) override {
    found.push_back(std::to_string(b.region) + " in lane " + std::to_string(b.lane) + ": " + std::to_string(b.begin) +
                    " to " + std::to_string(b.end));
  }
  Lines found;
};

Lines bands_of(TraceBuilder& trace) {
  Bands bands;
  report::Replay replay{trace.definitions()};
  report::Timeline timeline{trace.definitions(), bands};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  return bands.found;
}

class Regions final : public EventVisitor {
 public:
  explicit Regions(const Definitions& definitions) : definitions_{definitions} {}
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    const bool enters = event.type == EventType::enter;
    if (!enters && event.type != EventType::leave) return;
    found.push_back(std::to_string(location) + (enters ? " enters " : " leaves ") +
                    definitions_.regions[event.ref].name);
  }
  Lines found;

 private:
  const Definitions& definitions_;
};

Lines within(TraceBuilder& trace, const std::string& pattern) {
  const auto source = report::within_phases(trace, {pattern});
  Regions regions{source->definitions()};
  source->read(regions);
  return regions.found;
}

}  // namespace

TEST_CASE("what is outside of the phases that a report is confined to is no time of the threads, and no serial work") {
  TraceBuilder trace{2};
  const RegionRef solve = add_phase(trace, "solve");
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  barrier = trace.region("implicit barrier", RegionRole::implicit_barrier),
                  call = trace.region("MPI_Barrier", RegionRole::barrier, 0, Paradigm::mpi);
  const auto team = [&](std::uint64_t begin, std::uint64_t half, std::uint64_t end) {
    for (const LocationRef thread : {0u, 1u}) trace.team_begin(thread, begin * ms, parallel);
    trace.enter(1, half * ms, barrier);
    trace.enter(0, end * ms, barrier);
    for (const LocationRef thread : {0u, 1u}) {
      trace.leave(thread, end * ms, barrier);
      trace.team_end(thread, end * ms, parallel);
    }
  };
  const auto phase = [&](std::uint64_t begin) {
    trace.enter(0, begin * ms, solve);
    team(begin + 2, begin + 14, begin + 22);
    trace.enter(0, (begin + 23) * ms, call);
    trace.leave(0, (begin + 26) * ms, call);
    trace.leave(0, (begin + 27) * ms, solve);
  };
  trace.simple(0, 1 * ms, EventType::program_begin, 0, 1);
  team(10, 15, 20);
  phase(28);
  team(60, 65, 70);
  trace.enter(0, 80 * ms, call);
  trace.leave(0, 90 * ms, call);
  phase(100);
  trace.simple(0, 200 * ms, EventType::program_end);
  const auto confined = report::within_phases(trace.set_clock(), {"solve"});
  const report::Report report = report::analyze(*confined);
  const report::Account& account = report.account;
  const std::map<report::Place, std::uint64_t> once{{report::Place::work, 32},       {report::Place::serial, 4},
                                                    {report::Place::serial_idle, 4}, {report::Place::mpi, 3},
                                                    {report::Place::mpi_idle, 3},    {report::Place::imbalance, 8}};
  for (const auto& [place, time] : once) CHECK(account.at(place) == 2 * time * ms);
  CHECK(account.total == 2 * 2 * 27 * ms);
  CHECK(account.wall() == 2 * 27 * ms);
  CHECK(account.serial_wall == 2 * 4 * ms);
  REQUIRE(account.stretches.size() == 4);
  CHECK(account.stretches[1].to - account.stretches[1].from == 5 * ms);
  CHECK(account.stretches[1].ns == 2 * ms);  // without MPI
  CHECK(report.thread_rows[1].ns[static_cast<std::size_t>(report::Activity::work)] == 2 * 12 * ms);
  CHECK(report.tasks.work == 2 * (32 + 4 + 3) * ms);
  // The whole, for comparison.
  CHECK(report::analyze(trace).account.total == 2 * 199 * ms);
}

TEST_CASE("a phase has the time that its threads are in MPI, and that devices run what they submitted") {
  TraceBuilder trace{1, 1};
  const RegionRef solve = add_phase(trace, "solve"), before = add_phase(trace, "before");
  const RegionRef wait = trace.region("MPI_Waitall", RegionRole::function, 0, Paradigm::mpi);
  const RegionRef submit = trace.region("target submit", RegionRole::wrapper);
  const RegionRef kernel = trace.region("kernel", RegionRole::kernel, 0, Paradigm::cuda);
  const auto submit_at = [&](std::uint64_t time, std::uint64_t id) {
    trace.enter(0, time, submit, {{4, id}});
    trace.leave(0, time + 1 * ms, submit);
  };
  const auto run_from = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t id) {
    trace.enter(1, begin, kernel, {{4, id}});
    trace.leave(1, end, kernel);
  };
  trace.simple(0, 0, EventType::program_begin);
  trace.enter(0, 1 * ms, before);
  submit_at(2 * ms, 6);
  trace.leave(0, 9 * ms, before);
  trace.enter(0, 10 * ms, solve);
  submit_at(20 * ms, 7);
  trace.enter(0, 30 * ms, wait);
  trace.leave(0, 50 * ms, wait);
  trace.leave(0, 100 * ms, solve);
  trace.simple(0, 200 * ms, EventType::program_end);
  run_from(40 * ms, 60 * ms, 6);
  run_from(120 * ms, 150 * ms, 7);  // behind the phase in which it was submitted
  const auto report = report::analyze(trace);
  const auto json = nlohmann::json::parse(report::to_json(report));
  REQUIRE(json["phases"].size() == 2);
  const auto& row = json["phases"][0];
  CHECK(row["name"] == "solve");
  CHECK(row["mpi_ns"] == 20 * ms);
  CHECK(row["device_operations_ns"] == 30 * ms);
  CHECK(row["time"]["work_ns"] == 69 * ms);  // 90 without MPI, and without what the submit took
  CHECK(json["phases"][1]["device_operations_ns"] == 20 * ms);
  const std::string text = report::to_text(report, {});
  CHECK(text.find("MPI") != text.npos);
  CHECK(text.find("on devices") != text.npos);
}

TEST_CASE(
    "a band goes from the first thread that enters a phase to the last that leaves it, each lane has one at once") {
  TraceBuilder trace{2};
  const RegionRef solve = add_phase(trace, "solve"), io = add_phase(trace, "io");
  trace.enter(0, 10, solve);
  trace.enter(1, 20, solve);
  trace.enter(0, 25, io);
  trace.leave(0, 30, io);
  trace.leave(0, 40, solve);
  trace.leave(1, 50, solve);
  trace.enter(1, 60, io);
  trace.leave(1, 70, io);
  CHECK(bands_of(trace) == Lines{"1 in lane 1: 25 to 30", "0 in lane 0: 10 to 50", "1 in lane 0: 60 to 70"});
}

TEST_CASE("within a phase is what begins while any thread of the process is in it") {
  TraceBuilder trace{2};
  const RegionRef solve = add_phase(trace, "solve"), io = add_phase(trace, "io");
  const RegionRef loop = trace.region("for", RegionRole::loop), barrier = trace.region("barrier", RegionRole::barrier);
  const auto region = [&](LocationRef at, RegionRef ref, std::uint64_t begin, std::uint64_t end) {
    trace.enter(at, begin, ref);
    trace.leave(at, end, ref);
  };
  trace.enter(0, 10, io);
  trace.enter(1, 12, loop);
  region(0, barrier, 15, 16);
  trace.leave(0, 20, io);
  trace.enter(0, 30, solve);
  region(1, barrier, 31, 32);  // inside a loop that began before
  trace.leave(1, 35, loop);
  trace.enter(1, 36, loop);
  trace.leave(0, 40, solve);
  trace.leave(1, 45, loop);  // begun within, and whole
  region(1, barrier, 50, 51);
  CHECK(within(trace, "sol*") == Lines{"0 enters solve", "1 enters !$omp barrier @example.c:10",
                                       "1 leaves !$omp barrier @example.c:10", "1 enters !$omp for @example.c:10",
                                       "0 leaves solve", "1 leaves !$omp for @example.c:10"});
  CHECK(within(trace, "io").size() == 6);
  std::string said;
  try {
    within(trace, "slove");
  } catch (const Error& error) {
    said = error.what();
  }
  CHECK(said == "no phase of the trace is called 'slove'; there are: io, solve.");
}

TEST_CASE("a region of a task that began within a phase is whole on whatever thread it ends") {
  TraceBuilder trace{2};
  const RegionRef solve = add_phase(trace, "solve");
  const RegionRef task = trace.region("task", RegionRole::task), other = trace.region("task", RegionRole::task, 20);
  trace.enter(0, 1, solve);
  trace.simple(0, 10, EventType::task_switch, 0, 0, 1);
  trace.enter(0, 10, task);
  trace.simple(0, 20, EventType::task_switch, 0, 0, 0);  // suspended
  trace.leave(0, 25, solve);
  trace.simple(0, 30, EventType::task_switch, 0, 0, 2);
  trace.enter(0, 30, other);
  trace.simple(1, 40, EventType::task_switch, 0, 0, 1);
  trace.leave(1, 50, task);
  trace.simple(1, 50, EventType::task_complete, 0, 0, 1);
  trace.leave(0, 60, other);
  CHECK(within(trace, "solve") == Lines{"0 enters solve", "0 enters !$omp task @example.c:10", "0 leaves solve",
                                        "1 leaves !$omp task @example.c:10"});
}
