// SPDX-License-Identifier: BSD-3-Clause
// The line through the clock readings.
#include "tracer/translate/clock_fit.hpp"

#include <limits>

namespace tracer::translate {

ClockFit::ClockFit(ClockKind kind, std::span<const ClockSync> readings) noexcept {
  if (readings.empty()) return;
  const ClockSync& first = readings.front();
  const ClockSync& last = readings.back();
  realtime_offset_ = first.realtime - first.monotonic;
  if (kind == ClockKind::monotonic) return;
  identity_ = false;
  ticks0_ = first.ticks;
  ns0_ = first.monotonic;
  if (last.ticks <= first.ticks || last.monotonic <= first.monotonic) return;
  const auto ticks = static_cast<__int128>(last.ticks - first.ticks);
  const auto ns = static_cast<__int128>(last.monotonic - first.monotonic);
  scale_ = static_cast<std::int64_t>((ns << shift) / ticks);
  ticks_per_second_ =
      static_cast<double>(last.ticks - first.ticks) * 1e9 / static_cast<double>(last.monotonic - first.monotonic);
}

Ticks ClockFit::ticks_of(Nanoseconds time) const noexcept {
  if (identity_ || scale_ <= 0) return time;
  const auto delta = static_cast<std::int64_t>(time - ns0_);
  const __int128 ticks = static_cast<__int128>(ticks0_) + (static_cast<__int128>(delta) << shift) / scale_;
  if (ticks < 0) return 0;
  if (ticks >= std::numeric_limits<Ticks>::max()) return std::numeric_limits<Ticks>::max();
  // The division cuts off less than one of either unit.
  const auto whole = static_cast<Ticks>(ticks);
  return (*this)(whole) < time ? whole + 1 : whole;
}

}  // namespace tracer::translate
