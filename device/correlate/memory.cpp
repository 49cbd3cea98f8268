// SPDX-License-Identifier: BSD-3-Clause
// Keeps the live allocations by address.
#include "device/correlate/memory.hpp"

#include <algorithm>
#include <unordered_map>

namespace tracer::device {

namespace {
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;
}

std::vector<DeviceMemorySample> memory_in_use(std::vector<MemoryEvent> events, const std::set<std::uint64_t>& pooled,
                                              Counters& counters) {
  std::stable_sort(events.begin(), events.end(), [](const MemoryEvent& a, const MemoryEvent& b) {
    return a.time < b.time || (a.time == b.time && a.is_free && !b.is_free);
  });
  std::unordered_map<std::uint64_t, std::uint64_t> live;
  std::vector<DeviceMemorySample> samples;
  std::uint64_t in_use = 0;
  for (const auto& event : events) {
    const auto it = live.find(event.address);
    if (it != live.end()) {  // freed, or allocated anew after a free that nobody reported
      in_use -= it->second;
      if (!event.is_free) ++counters["device.free_missed"];
      live.erase(it);
    } else if (event.is_free) {
      if (pooled.count(event.address) == 0) ++counters["device.free_unknown"];
      continue;
    }
    if (!event.is_free) {
      // No memory has as much (and a reader takes it for less than nothing): the size is wrong.
      const bool fits = event.bytes <= most_bytes - in_use;
      if (!fits) ++counters["device.allocation_too_large"];
      live[event.address] = fits ? event.bytes : 0;
      in_use += live[event.address];
    }
    if (!samples.empty() && samples.back().time == event.time)
      samples.back().bytes_in_use = in_use;
    else
      samples.push_back({event.time, in_use});
  }
  return samples;
}

}  // namespace tracer::device
