// SPDX-License-Identifier: BSD-3-Clause
// What a thread's counters have come to, where others use the processor's counters as well: the kernel then counts for
// a part of the time, and each increase stands for the whole time since the reading before it. A total that was scaled
// as a whole would fall where that part grows.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "formats/raw/samples.hpp"
#include "tracer/base/counters.hpp"

namespace tracer::sample {

class CounterTotals {
 public:
  /// One reading of a group: for how long it was to count and for how long it did, in ns, and what each member has
  /// counted, the kernel's own counters too, which stand still with their group. Makes totals of `values`, or
  /// raw::not_counted before the group has run. Of one group in order of time; at most most_counters values.
  void extrapolate(std::uint64_t enabled, std::uint64_t running, std::span<std::uint64_t> values) noexcept {
    const std::uint64_t due = enabled - std::min(enabled, enabled_), ran = running - std::min(running, running_);
    const double share = ran != 0 && due > ran ? static_cast<double>(due) / static_cast<double>(ran) : 1;
    for (std::size_t i = 0; i < std::min(values.size(), totals_.size()); ++i) {
      const std::uint64_t more = values[i] - std::min(values[i], counted_[i]);
      counted_[i] += more;
      totals_[i] += static_cast<double>(more) * share;
      values[i] = running != 0 ? static_cast<std::uint64_t>(totals_[i]) : raw::not_counted;
    }
    if (ran == 0) return;  // the next reading's increases are for this time too
    enabled_ = enabled;
    running_ = running;
  }

 private:
  std::uint64_t enabled_ = 0, running_ = 0;  ///< of the last reading before which the group ran
  std::array<std::uint64_t, most_counters> counted_{};
  std::array<double, most_counters> totals_{};  ///< whole below 2^53: so many cycles are a month
};

}  // namespace tracer::sample
