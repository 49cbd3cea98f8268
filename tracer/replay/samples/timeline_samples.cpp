// SPDX-License-Identifier: BSD-3-Clause
// See timeline_samples.hpp.
#include "tracer/replay/samples/timeline_samples.hpp"

#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/counters.hpp"

namespace tracer::report {

void TimelineSamples::finished(std::uint64_t time) {
  join_.finished(time);
  const SamplePaths paths{join_};
  const samples::SampleSet& set = join_.set();
  const SampleCounters counters{set};
  for (std::uint32_t c = 0; c < set.counters.size(); ++c)
    to_.sampled_counter({c, set.strings[set.counters[c].name], set.counters[c].nanoseconds != 0 ? "ns" : "1"});
  for (std::uint32_t n = 1; n < paths.nodes().size(); ++n) {
    const PathFrame& frame = paths.frames()[paths.nodes()[n].frame];
    to_.sampled_path({n, paths.nodes()[n].parent, frame.name, frame.file, frame.construct});
  }
  for (LocationRef l = 0; l < join_.definitions().locations.size(); ++l) {
    const auto [first, last] = join_.samples_of(l);
    for (std::size_t s = first; s != last; ++s) {
      if (paths.kind(s) == SampleJoin::outside) continue;
      const SampleKind& kind = paths.kinds()[paths.kind(s)];
      const std::uint32_t line = kind.leaf == SampleJoin::outside ? 0 : set.frames[kind.leaf].line;
      to_.sample({l, set.samples[s].time, kind.node, name_of(kind.activity), kind.region, set.samples[s].processor,
                  line, counters.increases(s)});
    }
    for (const samples::Pause& pause : join_.pauses_of(l)) to_.pause({l, pause.begin, pause.end, pause.preempted != 0});
  }
}

}  // namespace tracer::report
