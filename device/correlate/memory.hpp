// SPDX-License-Identifier: BSD-3-Clause
// How many bytes of each device are in use, from allocations of the host and of the device, and what else is counted
// over time.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "device/correlate/join.hpp"
#include "tracer/device_timeline.hpp"

namespace tracer::device {

struct MemoryEvent {
  Ticks time = 0;
  std::uint64_t address = 0, bytes = 0;
  bool is_free = false;
};

/// Freed bytes are those of the allocation at that address; unknown addresses are counted, so the
/// sum is never negative. Memory at `pooled` addresses may be freed once more, in the end: libomptarget keeps what was
/// freed for later and gives it back to the driver when it ends.
std::vector<DeviceSample> memory_in_use(std::vector<MemoryEvent> events, const std::set<std::uint64_t>& pooled,
                                        Counters& counters);

/// A memory pool from `time` on.
struct PoolState {
  Ticks time = 0;
  std::uint64_t address = 0, reserved = 0, in_use = 0;
};
struct PoolSizes {
  std::vector<DeviceSample> reserved, in_use;
};
/// Of all pools of a device together.
PoolSizes sizes_of_pools(std::vector<PoolState> states, Counters& counters);

/// What came until each time; never less than before.
std::vector<DeviceSample> running_sum(std::vector<DeviceSample> counts);

}  // namespace tracer::device
