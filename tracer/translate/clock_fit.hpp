// SPDX-License-Identifier: BSD-3-Clause
// Ticks of the recording clock as nanoseconds of CLOCK_MONOTONIC: one line through the first and
// the last reading of both clocks (an invariant counter drifts 3e-7 against it within a second,
// and NTP's slewing is what the longest base averages best).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracer/time.hpp"

namespace tracer::translate {

class ClockFit {
 public:
  /// `kind` monotonic: the identity. Fewer than two distinct readings: 1 tick = 1 ns.
  ClockFit(ClockKind kind, std::span<const ClockSync> readings) noexcept;

  Nanoseconds operator()(Ticks ticks) const noexcept {
    if (identity_) return ticks;
    const auto delta = static_cast<std::int64_t>(ticks - ticks0_);
    return ns0_ + static_cast<std::uint64_t>((static_cast<__int128>(delta) * scale_) >> shift);
  }

  /// The first tick that is not before a time.
  Ticks ticks_of(Nanoseconds time) const noexcept;

  /// Nanoseconds since the epoch of a time of the archive.
  std::uint64_t realtime(Nanoseconds time) const noexcept { return time + realtime_offset_; }

  double ticks_per_second() const noexcept { return ticks_per_second_; }

 private:
  static constexpr int shift = 44;  // a counter of up to 2^62 ticks times ns per tick below 2^20 fits 128 bits
  bool identity_ = true;
  Ticks ticks0_ = 0;
  Nanoseconds ns0_ = 0;
  std::int64_t scale_ = std::int64_t{1} << shift;
  std::uint64_t realtime_offset_ = 0;
  double ticks_per_second_ = 1e9;
};

/// Times that were read from CLOCK_MONOTONIC itself, at the times that ClockFit gives events of the same moment: NTP
/// slews the clock, and the line is straight. The order of times stays.
class MonotonicOnLine {
 public:
  MonotonicOnLine(ClockKind kind, std::span<const ClockSync> readings);

  /// Between two readings in proportion; outside of them as far from the nearest one as it was read.
  Nanoseconds operator()(Nanoseconds time) const noexcept;

 private:
  struct Knot {
    Nanoseconds monotonic, on_line;
  };
  std::vector<Knot> knots_;  ///< both rise
};

/// How often the recording clock departs from CLOCK_MONOTONIC by 10 ms and 1 % between two readings, measured by what
/// is usual between the others: the machine slept, or a virtual one was moved. ClockFit's times are wrong then.
std::uint64_t clock_jumps(ClockKind kind, std::span<const ClockSync> readings);

}  // namespace tracer::translate
