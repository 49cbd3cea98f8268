// SPDX-License-Identifier: BSD-3-Clause
// An archive with its samples in it: which calling contexts and unwind distances its events have, and who reads it.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/join/join.hpp"
#include "formats/otf2/join/sampled_archive.hpp"
#include "formats/otf2/read/context_tree.hpp"
#include "formats/otf2/read/reader.hpp"
#include "sampled.hpp"
#include "seed.hpp"
#include "support/scratch.hpp"
#include "tracer/error.hpp"

using namespace tracer;
using namespace tracer::test;
using otf2::EventKind;
using otf2::EventView;

namespace {

using Lines = std::vector<std::string>;

otf2::SampledArchiveResult make(const fs::path& from, const fs::path& to, const samples::SampleSet& set) {
  write_archive(sample_with_threads(), from);
  return otf2::write_sampled(otf2::Trace::open(from), set, to);
}

std::string path_of(const otf2::TraceDefinitions& d, std::uint64_t context) {
  const auto* node = d.calling_contexts.find(context);
  if (node == nullptr) return "";
  const std::string name{d.text(d.regions.find(node->region)->name)};
  const auto* source = d.source_code_locations.find(node->source);
  const std::string place = source == nullptr ? "" : ":" + std::to_string(source->line);
  const std::string parent = path_of(d, node->parent);
  return (parent.empty() ? "" : parent + " > ") + name.substr(0, name.find(" @")) + place;
}

/// "1032 sample main > kernel +2"
Lines contexts_on(const otf2::Trace& trace, std::uint64_t location) {
  Lines lines;
  auto reader = trace.events(location);
  EventView e;
  while (reader.next(e)) {
    const std::string what = e.kind == EventKind::calling_context_enter    ? "enter "
                             : e.kind == EventKind::calling_context_leave  ? "leave "
                             : e.kind == EventKind::calling_context_sample ? "sample "
                                                                           : "";
    if (what.empty()) continue;
    const std::string distance = what == "leave " ? "" : " +" + std::to_string(e.field[1]);
    lines.push_back(std::to_string(e.time) + " " + what + path_of(trace.definitions(), e.field[0]) + distance);
  }
  return lines;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> metrics_on(const otf2::Trace& trace, std::uint64_t location,
                                                                std::string_view name) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  const otf2::TraceDefinitions& d = trace.definitions();
  auto reader = trace.events(location);
  EventView e;
  while (reader.next(e)) {
    if (e.kind != EventKind::metric) continue;
    const auto* metric = d.metrics.find(e.field[0]);
    if (metric->is_instance) metric = d.metrics.find(metric->metric_class);
    if (d.text(d.metric_members.find(metric->members.front())->name) == name)
      found.emplace_back(e.time, e.values.front());
  }
  return found;
}

}  // namespace

TEST_CASE("samples are calling contexts below the regions that are open, with their unwind distances") {
  const Scratch scratch;
  const auto result = make(scratch / "plain", scratch / "sampled", samples_of_sample());
  CHECK(result.samples == 9);
  CHECK(result.outside == 1);
  const auto trace = otf2::Trace::open(scratch / "sampled");
  const std::string in = "main > solve:40 > !$omp parallel", loop = in + " > !$omp for", wait = in + " > !$omp barrier";
  const Lines master = contexts_on(trace, 0), worker = contexts_on(trace, 1);
  CHECK(Lines(master.begin(), master.begin() + 6) ==
        Lines{"1005 sample main > init:40 +3", "1020 enter " + in + " +3", "1030 enter " + loop + " +2",
              "1032 sample " + loop + " > kernel:4 +2", "1035 sample " + loop + " > kernel:4 +1",
              "1040 leave " + loop});
  const auto has = [](const Lines& lines, const std::string& line) {
    INFO(line);
    CHECK(std::count(lines.begin(), lines.end(), line) == 1);
  };
  has(master, "1050 enter " + in + " > !$omp critical +2");
  has(master, "1100 sample " + wait + " +1");
  has(master, "1240 leave " + in);
  has(master, "1245 sample main > solve:40 +1");
  has(master, "1255 sample main > save:41 +2");
  CHECK(Lines(worker.begin(), worker.begin() + 4) == Lines{"1015 enter " + in + " +4", "1030 enter " + loop + " +2",
                                                           "1032 sample " + loop + " > kernel:4 +2",
                                                           "1045 leave " + loop});
  has(worker, "1100 enter " + wait + " > !$omp task +2");
  has(worker, "1120 sample " + wait + " > !$omp task > work +2");
  has(worker, "1150 leave " + wait + " > !$omp task");
  has(worker, "1170 sample " + wait + " +1");
  has(worker, "1200 leave " + wait);
}

TEST_CASE("an archive with its samples breaks no rule, and has every event of the one without") {
  const Scratch scratch;
  const auto result = make(scratch / "plain", scratch / "sampled", samples_of_sample());
  const auto before = check::check(scratch / "plain"), after = check::check(scratch / "sampled");
  INFO(explain(after));
  CHECK(after.valid());
  const Rules holds = with_outcome(after, check::Outcome::holds);
  for (const auto& rule : with_outcome(before, check::Outcome::holds)) {
    INFO(rule);
    CHECK(holds.count(rule) == 1);
  }
  for (const char* rule : {"D19", "E30", "E31", "E32"}) CHECK(holds.count(rule) == 1);
  CHECK(after.events == before.events + 2 * 9 + 6);  // samples with a counter, three pauses
  CHECK(after.events == result.events);
}

TEST_CASE("counters are metrics at the samples, and scheduling those of a location of the process") {
  const Scratch scratch;
  make(scratch / "plain", scratch / "sampled", samples_of_sample());
  const auto trace = otf2::Trace::open(scratch / "sampled");
  using Values = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  CHECK(metrics_on(trace, 1, "instructions") == Values{{1032, 100}, {1120, 200}, {1170, 300}});
  CHECK(metrics_on(trace, 0, "instructions").size() == 6);
  CHECK(metrics_on(trace, 0, "instructions").front() == std::pair<std::uint64_t, std::uint64_t>{1005, 200});
  const otf2::LocationDef& scheduling = trace.definitions().locations[3];
  CHECK(trace.definitions().text(scheduling.name) == "Scheduling");
  CHECK(scheduling.type == otf2::values::location_metric);
  CHECK(scheduling.group == trace.definitions().locations[0].group);
  // What reaches beyond the trace's end is cut there.
  CHECK(metrics_on(trace, scheduling.ref, "scheduling") ==
        Values{{1110, 2}, {1115, 0}, {1160, 1}, {1165, 0}, {1405, 1}, {1500, 0}});
}

TEST_CASE("otf2-print and python3-otf2 read an archive with its samples to the end") {
  const Scratch scratch;
  const auto result = make(scratch / "plain", scratch / "sampled", samples_of_sample());
  const std::string anchor = (scratch / "sampled/traces.otf2").string();
  if (std::string{OTF2_PRINT}.empty() || run_command(PYTHON3 " -c 'import otf2' 2>&1").status != 0)
    SKIP_TEST("otf2-print or python3-otf2 is missing");
  const auto printed = run_command(OTF2_PRINT " '" + anchor + "' 2>&1");
  CHECK(printed.status == 0);
  const auto count = [](const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++found;
    return found;
  };
  CHECK(count(printed.output, "\nCALLING_CONTEXT_SAMPLE ") == 9);
  CHECK(count(printed.output, "\nCALLING_CONTEXT_ENTER ") == count(printed.output, "\nCALLING_CONTEXT_LEAVE "));
  const auto silent = run_command(OTF2_PRINT " --silent '" + anchor + "' 2>&1 >/dev/null");
  CHECK(silent.output.empty());
  const auto dumped = run_command(PYTHON3 " " TRACER_SOURCE_DIR "/tests/archive/dump.py '" + anchor + "' 2>&1");
  CHECK(dumped.status == 0);
  CHECK(count(dumped.output, " CallingContextSample ") == 9);
  CHECK_THAT(dumped.output, ContainsSubstring("\nevents " + std::to_string(result.events) + "\n"));
}

TEST_CASE("samples of nothing that is known change no region") {
  const Scratch scratch;
  samples::SampleSet set = samples_of_sample();
  for (samples::Sample& sample : set.samples) sample.thread += 1000;
  set.pauses.clear();
  const auto result = make(scratch / "plain", scratch / "sampled", set);
  CHECK(result.samples == 0);
  CHECK(result.outside == set.samples.size());
  const auto report = check::check(scratch / "sampled");
  INFO(explain(report));
  CHECK(report.valid());
  CHECK(contexts_on(otf2::Trace::open(scratch / "sampled"), 0)[0] == "1020 enter !$omp parallel +2");
}

TEST_CASE("samples are put into an archive once, and not over another") {
  const Scratch scratch;
  make(scratch / "plain", scratch / "sampled", samples_of_sample());
  const auto sampled = otf2::Trace::open(scratch / "sampled"), plain = otf2::Trace::open(scratch / "plain");
  CHECK_THROWS_AS(otf2::write_sampled(sampled, samples_of_sample(), scratch / "twice"), Error);
  CHECK_THROWS_AS(otf2::write_sampled(plain, samples_of_sample(), scratch / "sampled"), Error);
}

TEST_CASE("regions that are not in balance are no calling contexts") {
  const Scratch scratch;
  Seed seed;
  seed.remove(0, seed.leave_of(0, r_loop));
  write_archive(seed.trace, scratch / "plain");
  const auto trace = otf2::Trace::open(scratch / "plain");
  CHECK_THROWS_WITH(otf2::write_sampled(trace, samples_of_sample(), scratch / "sampled"),
                    ContainsSubstring("not the last it entered"));
  CHECK(!fs::exists(scratch / "sampled/traces.otf2"));
}

TEST_CASE("a region that the archive does not define is no calling context") {
  const Scratch scratch;
  Seed seed;
  seed.d.locations = sample_with_threads().definitions.locations;
  seed.span(0, 1001, 1012, 0xFFFFFFF0);  // around a sample of user code
  seed.span(0, 1002, 1010, r_loop);
  write_archive(seed.trace, scratch / "plain");
  const auto trace = otf2::Trace::open(scratch / "plain");
  CHECK_THROWS_WITH(otf2::write_sampled(trace, samples_of_sample(), scratch / "sampled"),
                    ContainsSubstring("does not define"));
  CHECK(!fs::exists(scratch / "sampled/traces.otf2"));
}

TEST_CASE("archives with samples are joined as others are") {
  const Scratch scratch;
  make(scratch / "plain", scratch / "sampled", samples_of_sample());
  samples::SampleSet set = samples_of_sample();
  set.period = 5000;  // another interrupt generator
  make(scratch / "plain 2", scratch / "sampled 2", set);
  std::vector<otf2::PartToJoin> parts(2);
  parts[0].directory = scratch / "sampled";
  parts[1].directory = scratch / "sampled 2";
  const auto first = otf2::Trace::open(scratch / "sampled");
  otf2::JoinOptions options;
  options.clock = first.definitions().clock;
  options.event_chunk = first.info().event_chunk;
  const auto result = otf2::join(parts, scratch / "whole", options);
  CHECK(result.not_joined == 0);
  const auto whole = otf2::Trace::open(scratch / "whole");
  CHECK(whole.definitions().interrupt_generators.size() == 2);
  CHECK(whole.definitions().calling_contexts.size() == first.definitions().calling_contexts.size());
  CHECK(contexts_on(whole, 0) == contexts_on(first, 0));
  const std::uint64_t second_worker = first.definitions().locations.size() + 1;
  CHECK(contexts_on(whole, second_worker) == contexts_on(first, 1));
  const Rules broken = with_outcome(check::check(scratch / "whole"), check::Outcome::violated);
  for (const char* rule : {"D02", "D04", "D12", "D19", "E02", "E30", "E31", "E32"}) CHECK(broken.count(rule) == 0);
}

TEST_CASE("ancestors in a tree of contexts are those that the parents lead to") {
  otf2::ContextTree tree;
  std::mt19937 generator{7};
  const auto random = [&] { return static_cast<std::uint32_t>(generator()); };
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t last = i == 0 ? otf2::ContextTree::root : i - 1;
    const bool is_chain = random() % 4 != 0;
    tree.add(is_chain || i == 0 ? last : random() % i, i);
  }
  const auto way = [&](std::uint32_t node) {
    std::vector<std::uint32_t> nodes{node};
    while (node != otf2::ContextTree::root) nodes.push_back(node = tree.parent(node));
    std::reverse(nodes.begin(), nodes.end());
    return nodes;
  };
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t a = random() % 2000, b = random() % 2000;
    const auto to_a = way(a), to_b = way(b);
    REQUIRE(tree.depth(a) == to_a.size() - 1);
    std::size_t same = 0;
    while (same < std::min(to_a.size(), to_b.size()) && to_a[same] == to_b[same]) ++same;
    REQUIRE(tree.common(a, b) == to_a[same - 1]);
    const auto depth = static_cast<std::uint32_t>(random() % to_a.size());
    REQUIRE(tree.ancestor(a, depth) == to_a[depth]);
  }
  CHECK(tree.child(5, 1) == tree.child(5, 1));
  CHECK(tree.child(5, 1, 3) != tree.child(5, 1));
}
