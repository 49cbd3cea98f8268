// SPDX-License-Identifier: BSD-3-Clause
// Keeps the live allocations by address.
#include "device/correlate/memory.hpp"

#include <algorithm>
#include <unordered_map>

namespace tracer::device {

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
      live[event.address] = event.bytes;
      in_use += event.bytes;
    }
    if (!samples.empty() && samples.back().time == event.time)
      samples.back().bytes_in_use = in_use;
    else
      samples.push_back({event.time, in_use});
  }
  return samples;
}

}  // namespace tracer::device
