// SPDX-License-Identifier: BSD-3-Clause
// Call paths of samples that claim more than samples have.
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "tests/report/sampled_trace.hpp"
#include "tracer/error.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/join.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("the paths of one deep stack in many constructs are refused where they outgrow its samples") {
  const auto nodes_of = [](std::uint64_t constructs) {
    TraceBuilder trace{1};
    name_threads(trace.editable());
    SampleBuilder set{ms};
    const auto frame = set.frame("recursive", "/src/example.c", 1);
    const auto stack = set.stack(std::vector<std::uint32_t>(samples::most_frames_of_stack, frame));
    trace.simple(0, start, EventType::program_begin, 0, 1);
    for (std::uint64_t i = 0; i < constructs; ++i) {
      const auto parallel = trace.region("parallel", RegionRole::parallel, 10 + static_cast<unsigned>(i));
      trace.team_begin(0, start + i * ms, parallel);
      trace.team_end(0, start + i * ms + ms, parallel);
      set.sample(101, start + i * ms + ms / 2, stack);
    }
    trace.simple(0, start + constructs * ms, EventType::program_end);
    const samples::SampleSet taken = set.set();
    report::SampleJoin join{trace.definitions(), taken};
    report::Replay replay{trace.definitions()};
    replay.add(join);
    trace.read(replay);
    replay.finish();
    return report::SamplePaths{join}.nodes().size();
  };
  CHECK(nodes_of(2) > 2 * samples::most_frames_of_stack);
  CHECK_THROWS_WITH(nodes_of(90), ContainsSubstring("samples.bin is damaged"));
}
