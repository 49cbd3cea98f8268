// SPDX-License-Identifier: BSD-3-Clause
// The two notions of time: ticks of the recording clock, and nanoseconds of the archive.
#pragma once

#include <cstdint>

namespace tracer {

/// Raw reading of the recording clock (time stamp counter, generic timer, or CLOCK_MONOTONIC in ns).
using Ticks = std::uint64_t;

/// Nanoseconds of CLOCK_MONOTONIC: the time of events.
using Nanoseconds = std::uint64_t;

enum class ClockKind : std::uint8_t {
  monotonic = 0,      ///< clock_gettime(CLOCK_MONOTONIC): a tick is a nanosecond
  tsc = 1,            ///< x86-64 invariant time stamp counter
  generic_timer = 2,  ///< AArch64 cntvct_el0
};

/// The same instant read on three clocks. `ticks` is the midpoint of a symmetric reading.
struct ClockSync {
  Ticks ticks = 0;
  Nanoseconds monotonic = 0;
  std::uint64_t realtime = 0;  ///< ns since the epoch
};

/// One instant on the host's recording clock and on a device's clock (device's own unit).
struct DeviceClockSync {
  std::int32_t device = 0;
  Ticks host = 0;
  std::uint64_t device_time = 0;
};

}  // namespace tracer
