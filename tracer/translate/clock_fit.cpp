// SPDX-License-Identifier: BSD-3-Clause
// The line through the clock readings.
#include "tracer/translate/clock_fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

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

MonotonicOnLine::MonotonicOnLine(ClockKind kind, std::span<const ClockSync> readings) {
  if (kind == ClockKind::monotonic) return;
  const ClockFit line(kind, readings);
  for (const ClockSync& reading : readings) {
    const Knot knot{reading.monotonic, line(reading.ticks)};
    if (knots_.empty() || (knot.monotonic > knots_.back().monotonic && knot.on_line > knots_.back().on_line))
      knots_.push_back(knot);
  }
}

Nanoseconds MonotonicOnLine::operator()(Nanoseconds time) const noexcept {
  if (knots_.empty()) return time;
  const auto after = std::upper_bound(knots_.begin(), knots_.end(), time,
                                      [](Nanoseconds wanted, const Knot& knot) { return wanted < knot.monotonic; });
  const Knot& before = after == knots_.begin() ? *after : *(after - 1);
  const Nanoseconds passed = time - before.monotonic;  // before the first reading its complement
  if (after == knots_.begin() || after == knots_.end()) return before.on_line + passed;
  const auto due = static_cast<unsigned __int128>(passed) * (after->on_line - before.on_line);
  return before.on_line + static_cast<Nanoseconds>(due / (after->monotonic - before.monotonic));
}

std::uint64_t clock_jumps(ClockKind kind, std::span<const ClockSync> readings) {
  constexpr double shortest_ns = 1e6, least_ns = 10e6, least_share = 0.01;
  struct Interval {
    double ticks, ns;
    double rate() const { return ns / ticks; }
  };
  if (kind == ClockKind::monotonic) return 0;
  std::vector<Interval> intervals;
  std::uint64_t jumps = 0;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const ClockSync &before = readings[i - 1], &after = readings[i];
    if (after.monotonic <= before.monotonic) continue;
    const auto ns = static_cast<double>(after.monotonic - before.monotonic);
    if (ns < shortest_ns) continue;
    if (after.ticks > before.ticks)
      intervals.push_back({static_cast<double>(after.ticks - before.ticks), ns});
    else
      ++jumps;  // it began anew
  }
  if (intervals.empty()) return jumps;
  // Of two the one with fewer ticks in its time: those of a sleep are too many.
  const auto median = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), median, intervals.end(),
                   [](const Interval& a, const Interval& b) { return a.rate() < b.rate(); });
  const double usual = median->rate();
  return jumps + static_cast<std::uint64_t>(std::count_if(intervals.begin(), intervals.end(), [&](const Interval& one) {
           return std::abs(one.ticks * usual - one.ns) > std::max(least_ns, least_share * one.ns);
         }));
}

}  // namespace tracer::translate
