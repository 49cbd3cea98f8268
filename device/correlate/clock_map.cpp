// SPDX-License-Identifier: BSD-3-Clause
// Sorts, sieves and interpolates.
#include "device/correlate/clock_map.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace tracer::device {
namespace {

/// A reading is uncertain by some 100 ns: over a shorter span (in device units, ns) the measured slope is too
/// uncertain.
constexpr std::uint64_t shortest_span = 10'000'000;

}  // namespace

ClockMap::ClockMap(std::span<const DeviceClockSync> points, double ticks_per_unit) : slope_(ticks_per_unit) {
  std::vector<DeviceClockSync> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const DeviceClockSync& a, const DeviceClockSync& b) { return a.host < b.host; });
  for (const auto& point : sorted) {
    const bool forward =
        points_.empty() || (point.host > points_.back().host && point.device_time > points_.back().device_time);
    if (forward)
      points_.push_back(point);
    else
      ++dropped_;
  }
  if (points_.size() < 2) return;
  const auto& a = points_.front();
  const auto& b = points_.back();
  if (b.device_time - a.device_time < shortest_span) return;
  slope_ = static_cast<double>(b.host - a.host) / static_cast<double>(b.device_time - a.device_time);
}

void ClockMap::anchor(Ticks host, std::uint64_t device_time) {
  if (points_.empty()) points_.push_back({0, host, device_time});
}

Ticks ClockMap::operator()(std::uint64_t device_time) const noexcept {
  if (points_.empty()) return device_time;
  const auto extrapolate = [&](const DeviceClockSync& from) {
    const auto delta = static_cast<std::int64_t>(device_time - from.device_time);
    const auto ticks = std::llround(static_cast<double>(delta) * slope_);
    if (ticks < 0 && static_cast<std::uint64_t>(-ticks) > from.host) return Ticks{0};
    return from.host + static_cast<std::uint64_t>(ticks);
  };
  if (device_time <= points_.front().device_time) return extrapolate(points_.front());
  if (device_time >= points_.back().device_time) return extrapolate(points_.back());
  const auto after = std::upper_bound(points_.begin(), points_.end(), device_time,
                                      [](std::uint64_t t, const DeviceClockSync& p) { return t < p.device_time; });
  const auto& b = *after;
  const auto& a = *std::prev(after);
  const auto part = static_cast<unsigned __int128>(device_time - a.device_time) * (b.host - a.host);
  return a.host + static_cast<Ticks>(part / (b.device_time - a.device_time));
}

}  // namespace tracer::device
