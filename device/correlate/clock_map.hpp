// SPDX-License-Identifier: BSD-3-Clause
// A device's clock as ticks of the host's recording clock.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracer/time.hpp"

namespace tracer::device {

/// Piecewise linear through the points at which both clocks were read, so that drift is followed
/// and an error is never larger than that of the two readings around it. Outside of them it
/// continues with the slope of the whole span.
class ClockMap {
 public:
  /// `points` of one device in any order; those that run backwards are left out and counted.
  /// `ticks_per_unit` is used where the points do not determine it (fewer than two, or a span too short).
  ClockMap(std::span<const DeviceClockSync> points, double ticks_per_unit);

  bool empty() const noexcept { return points_.empty(); }
  Ticks operator()(std::uint64_t device_time) const noexcept;
  std::uint64_t dropped() const noexcept { return dropped_; }
  /// Without any point: the device's clock read `device_time` at this host time.
  void anchor(Ticks host, std::uint64_t device_time);

 private:
  std::vector<DeviceClockSync> points_;
  double slope_;
  std::uint64_t dropped_ = 0;
};

}  // namespace tracer::device
