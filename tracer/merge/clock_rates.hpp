// SPDX-License-Identifier: BSD-3-Clause
// How fast clocks go beside each other, before their offsets are known: two clocks that are near each
// other, by messages in both directions, early and late are known to drift apart by no more than what is open at both
// times. In a short run these may be a third of it, spread over its begin and its end, pair by pair; a clock that is
// placed by several pairs in turn is as sure as its rate is.
#pragma once

#include <vector>

#include "tracer/merge/clock_lines.hpp"

namespace tracer {

struct ClockRate {
  double doubt = most_drift;    ///< half of what is possible of its rate
  bool is_known = false;        ///< pairs lead to it:
  double offset = 0, rate = 0;  ///< what is to be added at `middle`, and how that grows, ns per ns
};
struct ClockRates {
  double middle = 0;  ///< of the messages' time
  std::vector<ClockRate> clocks;
};

/// Of each clock beside the first one, in addition to `lines`, which give their rough position, `drift`: how far they
/// may drift from that, in ns per ns. Of several ways from one clock to another by pairs it is the surest ones.
ClockRates clock_rates(const std::vector<double>& drift, const std::vector<ClockBound>& bounds,
                       const ClockLines& lines);

}  // namespace tracer
