// SPDX-License-Identifier: BSD-3-Clause
// Samples joined with events: paths, functions, blame, waits that ran or did not; and what the page gets of them.
#include "catch.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/report/sampled_trace.hpp"
#include "tracer/cut/phase_filter.hpp"
#include "tracer/replay/samples/counters.hpp"
#include "tracer/replay/samples/timeline_samples.hpp"
#include "tracer/replay/samples/without_symbols.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/page/samples.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;
using report::Activity;
using Lines = std::vector<std::string>;

namespace {

Json report_of(SampledTrace& made) {
  return Json::parse(report::to_json(report::analyze(made.trace, {}, &made.samples)));
}

/// A join whose replay is over.
struct Joined {
  explicit Joined(SampledTrace& made) : join{made.trace.definitions(), made.samples} {
    report::Replay replay{made.trace.definitions()};
    replay.add(join);
    made.trace.read(replay);
    replay.finish();
  }
  report::SampleJoin join;
};

Lines paths_of(const report::SampleReport& report) {
  Lines lines;
  for (const report::PathRow& row : report.paths) {
    std::string line;
    for (const std::string& frame : row.path) line += (line.empty() ? "" : " > ") + frame;
    lines.push_back(line + ", " + name_of(row.activity) + ": " + std::to_string(row.samples));
  }
  return lines;
}

const Json& row_of(const Json& rows, const std::string& name) {
  for (const Json& row : rows)
    if (row["name"] == name) return row;
  FAIL("no row of " << name);
  throw 0;
}

std::uint64_t number(const std::string& bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(at++));
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
}

/// What is in all cells together.
struct Cells {
  std::uint64_t samples = 0, cells = 0;
  std::vector<std::uint64_t> counted;  ///< by counter
};
Cells cells_of(const report::PageSamples& page) {
  Cells all;
  std::size_t at = 0;
  const Json json = page.json();
  all.counted.resize(json["counters"].size());
  for (const Json& list : json["cells"]) {
    for (std::uint64_t i = 0; i < list[1].get<std::uint64_t>(); ++i, ++all.cells) {
      number(page.bytes(), at);
      CHECK(number(page.bytes(), at) < json["kinds"].size());
      all.samples += number(page.bytes(), at);
      for (std::uint64_t& sum : all.counted) sum += number(page.bytes(), at);
    }
  }
  CHECK(at == page.bytes().size());
  return all;
}

}  // namespace

TEST_CASE("a worker's samples have the path of the thread that encountered the region") {
  SampledTrace made = sampled_imbalance();
  const Joined joined{made};
  const report::SampleReport report = report::report_of(joined.join, report::SamplePaths{joined.join}, true);
  const std::string region = "main > solve > parallel @example.c:10";
  CHECK(paths_of(report) == Lines{"main > init, work: 5", "main > save, work: 5", region + ", barrier: 43",
                                  region + " > kernel, work: 56"});
  CHECK(report.samples == made.samples.samples.size());
  CHECK(report.outside == 0);
}

TEST_CASE("raw stacks have the runtime's frames and no constructs") {
  SampledTrace made = sampled_imbalance();
  const Joined joined{made};
  const report::SampleReport report = report::report_of(joined.join, report::SamplePaths{joined.join, true}, true);
  CHECK(paths_of(report) == Lines{"clone3 > __kmp_launch_worker > solve > __kmp_barrier, barrier: 23",
                                  "clone3 > __kmp_launch_worker > solve > kernel, work: 46", "main > init, work: 5",
                                  "main > save, work: 5",
                                  "main > solve > __kmpc_fork_call > solve > __kmp_barrier, barrier: 20",
                                  "main > solve > __kmpc_fork_call > solve > kernel, work: 10"});
}

TEST_CASE("samples of threads that the trace does not have, or before its begin, are outside") {
  SampledTrace made = sampled_imbalance();
  made.samples.samples.insert(made.samples.samples.begin(), {.time = start - 5, .thread = 101});
  made.samples.samples.push_back({.time = start + ms, .thread = 999});
  const Joined joined{made};
  const report::SampleReport report = report::report_of(joined.join, report::SamplePaths{joined.join}, true);
  CHECK(report.outside == 2);
  CHECK(report.samples == made.samples.samples.size() - 2);
}

TEST_CASE("samples that are not in order, or overlap nothing, do no harm") {
  SampledTrace made = sampled_imbalance();
  std::reverse(made.samples.samples.begin(), made.samples.samples.end());
  std::reverse(made.samples.pauses.begin(), made.samples.pauses.end());
  for (samples::Pause& pause : made.samples.pauses) std::swap(pause.begin, pause.end);
  const report::Report report = report::analyze(made.trace, {}, &made.samples);
  CHECK(report.samples.samples + report.samples.outside == made.samples.samples.size());
}

TEST_CASE("functions have their own samples, those inside, and their waiting") {
  SampledTrace made = sampled_imbalance();
  const Json samples = report_of(made)["samples"];
  const Json& kernel = row_of(samples["functions"], "kernel");
  CHECK(kernel["self"] == 56);
  CHECK(kernel["inside"] == 56);
  CHECK(kernel["line"] == 30);
  CHECK(kernel["file"] == "/src/kernel.c");
  CHECK(row_of(samples["functions"], "main")["inside"] == 109);
  CHECK(row_of(samples["functions"], "main")["self"] == 0);
  const Json& region = row_of(samples["functions"], "parallel @example.c:10");
  CHECK(region["waiting"] == 43);
  CHECK(region["self"] == 0);
  CHECK(region["region"] == 0);
}

TEST_CASE("who works while others wait has the blame, shared with those who work too") {
  SampledTrace made = sampled_imbalance();
  const Json blame = report_of(made)["samples"]["blame"];
  // 18 samples of the last thread (2 ms it was preempted) while three wait.
  CHECK(row_of(blame, "kernel")["barrier_ns"] == 54 * ms);
  CHECK(row_of(blame, "kernel")["total_ns"] == 54 * ms);
  CHECK(row_of(blame, "kernel")["line"] == 30);
  CHECK(row_of(blame, "kernel")["region"] == 0);
  // Behind the region three idle for 5 ms.
  CHECK(row_of(blame, "save")["idle_ns"] == 15 * ms);
  CHECK(row_of(blame, "save")["region"].is_null());
  for (const Json& row : blame) CHECK(row["name"] != "init");  // nobody was there yet
}

TEST_CASE("a wait is split into running, sleeping and preempted, also a pause that began before it") {
  SampledTrace made = sampled_imbalance();
  const Json samples = report_of(made)["samples"];
  REQUIRE(samples["waits"].size() == 1);
  const Json& wait = samples["waits"][0];
  CHECK(wait["name"] == "!$omp implicit barrier @example.c:10");
  CHECK(wait["activity"] == "barrier");
  CHECK(wait["waited_ns"] == 40 * ms);  // of the two threads that have stops; of the master none is known
  CHECK(wait["slept_ns"] == 15 * ms);
  CHECK(wait["preempted_ns"] == 2 * ms);
  const Json& second = row_of(samples["threads"], "OMP thread 2");
  CHECK(second["preempted_ns"] == 4 * ms);
  CHECK(second["preempted_working_ns"] == 2 * ms);
  CHECK(second["working_ns"] == 10 * ms);
}

TEST_CASE("within phases pauses are what of them lies in the phases, in exports and in the report") {
  SampledTrace made{TraceBuilder{2}, {}};
  TraceBuilder& trace = made.trace;
  name_threads(trace.editable());
  const auto solve = trace.region("solve", RegionRole::code, 0, Paradigm::user),
             barrier = trace.region("barrier", RegionRole::barrier), loop = trace.region("for", RegionRole::loop);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start + 10 * ms, solve);
  trace.enter(0, start + 12 * ms, barrier);
  trace.leave(0, start + 15 * ms, barrier);
  trace.leave(0, start + 20 * ms, solve);
  trace.enter(0, start + 30 * ms, solve);
  trace.leave(0, start + 40 * ms, solve);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  trace.enter(1, start, loop);
  trace.leave(1, start + 50 * ms, loop);
  SampleBuilder set{ms};
  set.pause(101, start + 5 * ms, start + 35 * ms, false);
  set.pause(101, start + 35 * ms, start + 36 * ms, true);
  set.pause(102, start + 45 * ms, start + 48 * ms, false);
  made.samples = set.set();
  const auto within = report::within_phases(trace, {"solve"});

  struct Pauses final : TimelineVisitor {
    Lines lines;
    void pause(const TimelinePause& pause) override {
      lines.push_back(std::to_string(pause.location) + ": " + std::to_string((pause.begin - start) / ms) + " to " +
                      std::to_string((pause.end - start) / ms) + (pause.preempted ? " preempted" : " asleep"));
    }
  } pauses;
  report::TimelineSamples samples{within->definitions(), made.samples, pauses};
  report::Replay replay{within->definitions()};
  replay.add(samples);
  within->read(replay);
  replay.finish();
  CHECK(pauses.lines == Lines{"0: 10 to 20 asleep", "0: 30 to 35 asleep", "0: 35 to 36 preempted"});

  const Json threads = Json::parse(report::to_json(report::analyze(*within, {}, &made.samples)))["samples"]["threads"];
  REQUIRE(threads.size() == 1);
  CHECK(threads[0]["pauses"] == 3);
  CHECK(threads[0]["slept_ns"] == 15 * ms);
}

TEST_CASE("a report without samples has no such section, and says how to get them") {
  TraceBuilder trace = imbalance_3_to_1();
  trace.editable().creator = "Tracer 1";
  const report::Report report = report::analyze(trace);
  CHECK(!Json::parse(report::to_json(report)).contains("samples"));
  CHECK_THAT(report::to_text(report, {.rows = 0, .colour = false, .width = 200}),
             ContainsSubstring("tracer run --sample"));
  CHECK(report::to_text(report, {}).find("Functions") == std::string::npos);
}

TEST_CASE("code without symbols is one function for each file") {
  samples::SampleSet set;
  set.strings = {"",          "main",     "/usr/lib/libfast.so.3", "libfast.so.3@0x1e6c", "libfast.so.3@0x2000",
                 "@0x7f0011", "@0x7f0022"};
  const auto frame = [&](std::uint32_t function, std::uint32_t module) {
    samples::Frame made{};
    made.function = function;
    made.module = module;
    set.frames.push_back(made);
  };
  frame(1, 0);
  frame(3, 2);
  frame(4, 2);
  frame(5, 0);
  frame(6, 0);
  set.stacks = {{0, 1, 2}, {0, 2, 0, 1}, {0, 3, 4, 2}};
  report::join_nameless(set);
  const auto path = [&](std::size_t stack) {
    std::string text;
    for (const std::uint32_t one : set.stacks[stack]) text += set.strings[set.frames[one].function] + ";";
    return text;
  };
  CHECK(path(0) == "main;libfast.so.3 (no symbols);");
  CHECK(path(1) == "main;libfast.so.3 (no symbols);main;libfast.so.3 (no symbols);");
  CHECK(path(2) == "main;(code without a file);libfast.so.3 (no symbols);");
}

TEST_CASE("the text has functions by their plain names, unless several have the same") {
  report::SampleReport samples;
  samples.samples = 100;
  for (const char* name : {"void solve<float>(float*, int)", "void solve<double>(double*, int)",
                           "grid::smooth(std::vector<double>&, int (*) [3])", "main"}) {
    report::FunctionRow row;
    row.name = name;
    row.self = row.inside = 25;
    samples.functions.push_back(row);
  }
  const std::string text = report::to_text(samples, {.rows = 0, .colour = false, .width = 120});
  for (const char* part :
       {"void solve<float>(float*, int) ", "void solve<double>(double*, int) ", "  grid::smooth  ", "  main "})
    CHECK_THAT(text, ContainsSubstring(part));
}

TEST_CASE("the text has the functions, what ran while others waited, and the waits") {
  SampledTrace made = sampled_imbalance();
  const std::string text =
      report::to_text(report::analyze(made.trace, {}, &made.samples), {.rows = 0, .colour = false, .width = 140});
  for (const char* part :
       {"kernel.c:30", "51.4 %", "What ran while other threads waited", "54 ms", "37.5 %", "Threads that did not run"})
    CHECK_THAT(text, ContainsSubstring(part));
  CHECK(text.find("tracer run --sample") == std::string::npos);
}

TEST_CASE("findings say what ran while others waited, and how they waited") {
  SampledTrace made = sampled_imbalance();
  const report::Report report = report::analyze(made.trace, {}, &made.samples);
  std::string text;
  for (const report::Finding& finding : report.verdict.findings) text += finding.id + ": " + finding.text + "\n";
  CHECK_THAT(text, ContainsSubstring("imbalance: "));
  CHECK_THAT(text, ContainsSubstring("Meanwhile kernel (kernel.c:30) ran, 100 % of what was sampled."));
}

TEST_CASE("work that was preempted is a finding") {
  SampledTrace made = sampled_imbalance();
  for (samples::Pause& pause : made.samples.pauses) {
    if (pause.thread == 104) pause.end += 6 * ms;
  }
  const report::Report report = report::analyze(made.trace, {}, &made.samples);
  const auto found = std::find_if(report.verdict.findings.begin(), report.verdict.findings.end(),
                                  [](const report::Finding& finding) { return finding.id == "preempted"; });
  REQUIRE(found != report.verdict.findings.end());
  CHECK(found->lost == 10 * ms);
  CHECK_THAT(found->text, ContainsSubstring("OMP thread 3"));
}

TEST_CASE("counters are summed by function and construct, work and waiting apart") {
  SampledTrace made = sampled_imbalance();
  const Json samples = report_of(made)["samples"];
  const Json kernel = row_of(samples["functions"], "kernel"),
             region = row_of(samples["functions"], "parallel @example.c:10"),
             main = row_of(samples["functions"], "main");
  CHECK(kernel["counted"] == Json::array({56 * 3000, 56 * 2000}));
  CHECK(region["counted"] == Json::array({0, 0}));
  CHECK(region["counted_inside"] == Json::array({56 * 3000, 56 * 2000}));
  CHECK(main["counted_inside"] == Json::array({66 * 3000, 65 * 2000}));  // cycles of its first sample are not known
  const Json& instructions = samples["counters"][0];
  CHECK(instructions["name"] == "instructions");
  CHECK(instructions["unit"] == "1");
  CHECK(instructions["total"] == 66 * 3000 + 43 * 100);
  CHECK(instructions["waiting"] == 43 * 100);
  CHECK(samples["counters"][1]["waiting"] == 43 * 2000);
  const std::string text =
      report::to_text(report::analyze(made.trace, {}, &made.samples), {.rows = 0, .colour = false, .width = 140});
  for (const char* part : {"What was counted in work", "per cycle", "1.50", "168,000", "112,000", "(waiting)"})
    CHECK_THAT(text, ContainsSubstring(part));
}

TEST_CASE("threads that lack counters are named where sums lack them") {
  SampledTrace made = sampled_imbalance();
  const report::TextOptions options{.rows = 0, .colour = false, .width = 140};
  const auto text = [&] { return report::to_text(report::analyze(made.trace, {}, &made.samples), options); };
  CHECK_THAT(text(), !ContainsSubstring("lack counters"));
  made.trace.editable().properties.push_back({"TRACER::COUNTER::SAMPLES_THREADS_WITHOUT_COUNTERS", "2"});
  CHECK_THAT(text(), ContainsSubstring("with all that they call; 2 threads lack counters"));
}

TEST_CASE("a counter that went back, or of which nothing is known, adds nothing") {
  SampledTrace made = sampled_imbalance();
  samples::SampleSet& set = made.samples;
  const report::SampleCounters before{set};
  CHECK(before.increases(0)[1] == samples::not_counted);
  CHECK(before.increases(1)[0] == 3000);
  CHECK(before.increases(1)[1] == 2000);
  set.values[2] = 7;                     // instructions of the second sample: below the first's
  set.values[5] = samples::not_counted;  // cycles of the third
  const report::SampleCounters after{set};
  CHECK(after.increases(1)[0] == samples::not_counted);
  CHECK(after.increases(2)[0] == 6000);
  CHECK(after.increases(2)[1] == samples::not_counted);
  CHECK(after.increases(3)[1] == 4000);
  set.values.clear();
  CHECK(report::SampleCounters{set}.increases(0)[0] == samples::not_counted);
}

TEST_CASE("what the runtime said of sampled threads is counted by state and wait id") {
  SampledTrace made = sampled_imbalance();
  CHECK(report_of(made)["samples"]["states"].empty());
  for (std::size_t s = 0; s < 6; ++s) {
    made.samples.samples[s].source = samples::Source::signal;
    made.samples.samples[s].state = s < 4 ? 0x041 : s == 4 ? 0x001 : 0x999;
    made.samples.samples[s].wait_id = s < 4 ? 0xabc0 : 0;
  }
  const Json states = report_of(made)["samples"]["states"];
  REQUIRE(states.size() == 3);
  CHECK(states[0] == Json({{"state", 0x41}, {"name", "wait_lock"}, {"wait_id", 0xabc0}, {"samples", 4}}));
  CHECK(row_of(states, "work_parallel")["samples"] == 1);
  CHECK(row_of(states, "unknown")["state"] == 0x999);
  const std::string text =
      report::to_text(report::analyze(made.trace, {}, &made.samples), {.rows = 0, .colour = false, .width = 140});
  for (const char* part : {"OpenMP runtime states", "wait_lock", "0xabc0", "66.7 %"})
    CHECK_THAT(text, ContainsSubstring(part));
}

TEST_CASE("the page has each sample at its time, as long as they are few") {
  SampledTrace made = sampled_imbalance();
  const Joined joined{made};
  const report::SamplePaths paths{joined.join};
  const report::PageSamples page{joined.join, paths, start};
  const Cells all = cells_of(page);
  CHECK(all.samples == made.samples.samples.size());
  CHECK(all.cells == all.samples);
  CHECK(page.json()["unit"] == 1000);
}

TEST_CASE("the page loses no sample when there is room for few cells and paths") {
  SampledTrace made = sampled_imbalance();
  const Joined joined{made};
  const report::SamplePaths paths{joined.join};
  const report::SampleReport report = report::report_of(joined.join, paths, true);
  for (const std::size_t most : {300, 100, 30, 10, 4, 1}) {
    const report::PageSamples page{joined.join, paths, start, {.cells = most, .paths = 3}};
    const Cells all = cells_of(page);
    CHECK(all.samples == made.samples.samples.size());
    REQUIRE(all.counted.size() == report.counters.size());
    for (std::size_t c = 0; c < report.counters.size(); ++c) CHECK(all.counted[c] == report.counters[c].total);
    if (most >= 30)
      CHECK(all.cells <= most / 3);  // with two counters; one cell for each thread and activity is the least
    CHECK(page.json()["nodes"].size() / 2 <= 3 + 4);
  }
}
