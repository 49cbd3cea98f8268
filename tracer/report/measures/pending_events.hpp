// SPDX-License-Identifier: BSD-3-Clause
// When a team had detached tasks whose code had ended and whose events were not fulfilled yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// That an event was pending is known only when it is fulfilled: the task completes in the trace with its code.
class PendingEvents {
 public:
  struct Part {
    std::uint64_t ns = 0;
    RegionRef region = undefined_ref;  ///< of the task that ended the longest stretch
  };

  /// From a task's end to its event, in the order of `to`.
  void add(std::uint64_t from, std::uint64_t to, RegionRef region) {
    while (!stretches_.empty() && stretches_.back().to >= from) {
      from = std::min(from, stretches_.back().from);
      stretches_.pop_back();
    }
    stretches_.push_back({from, to, region});
  }

  /// What of `from` to `to` at least one was.
  Part within(std::uint64_t from, std::uint64_t to) const {
    Part part;
    std::uint64_t longest = 0;
    for (auto stretch = stretches_.rbegin(); stretch != stretches_.rend() && stretch->to > from; ++stretch) {
      const std::uint64_t end = std::min(to, stretch->to), ns = end - std::min(end, std::max(from, stretch->from));
      part.ns += ns;
      if (ns > longest) longest = ns, part.region = stretch->region;
    }
    return part;
  }

 private:
  struct Stretch {
    std::uint64_t from = 0, to = 0;
    RegionRef region = undefined_ref;
  };
  std::vector<Stretch> stretches_;  ///< none touches another, the last one last
};

}  // namespace tracer::report
