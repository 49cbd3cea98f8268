// SPDX-License-Identifier: BSD-3-Clause
// See counters.hpp.
#include "tracer/replay/samples/counters.hpp"

#include <algorithm>

namespace tracer::report {

// A value below the one before it is none: nobody counts backwards.
SampleCounters::SampleCounters(const samples::SampleSet& set)
    : set_{set}, increases_(set.samples.size() * set.counters.size(), samples::not_counted) {
  if (set.values.size() != set.samples.size() * size()) return;
  std::vector<std::uint64_t> last(size(), 0);
  for (std::size_t s = 0; s < set.samples.size(); ++s) {
    if (s != 0 && set.samples[s].thread != set.samples[s - 1].thread) std::fill(last.begin(), last.end(), 0);
    for (std::size_t c = 0; c < size(); ++c) {
      const std::size_t at = s * size() + c;
      if (set.values[at] == samples::not_counted || set.values[at] < last[c]) continue;
      increases_[at] = set.values[at] - last[c];
      last[c] = set.values[at];
    }
  }
}

}  // namespace tracer::report
