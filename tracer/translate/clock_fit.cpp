// SPDX-License-Identifier: BSD-3-Clause
// The line through the clock readings.
#include "tracer/translate/clock_fit.hpp"

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
  Ticks ticks = ticks0_ + static_cast<std::uint64_t>((static_cast<__int128>(delta) << shift) / scale_);
  while ((*this)(ticks) < time) ++ticks;
  return ticks;
}

}  // namespace tracer::translate
