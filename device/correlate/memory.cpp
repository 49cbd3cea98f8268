// SPDX-License-Identifier: BSD-3-Clause
// Keeps the live allocations, and the pools, by address.
#include "device/correlate/memory.hpp"

#include <algorithm>
#include <unordered_map>

namespace tracer::device {
namespace {

/// No memory has as much, nothing happens as often, and a reader takes more for less than nothing.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 62;

/// Of several values at one time the last counts.
void add_sample(std::vector<DeviceSample>& samples, Ticks time, std::uint64_t value) {
  if (!samples.empty() && samples.back().time == time)
    samples.back().value = value;
  else
    samples.push_back({time, value});
}

}  // namespace

std::vector<DeviceSample> memory_in_use(std::vector<MemoryEvent> events, const std::set<std::uint64_t>& pooled,
                                        Counters& counters) {
  std::stable_sort(events.begin(), events.end(), [](const MemoryEvent& a, const MemoryEvent& b) {
    return a.time < b.time || (a.time == b.time && a.is_free && !b.is_free);
  });
  std::unordered_map<std::uint64_t, std::uint64_t> live;
  std::vector<DeviceSample> samples;
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
      const bool fits = event.bytes <= most_bytes - in_use;
      if (!fits) ++counters["device.allocation_too_large"];
      live[event.address] = fits ? event.bytes : 0;
      in_use += live[event.address];
    }
    add_sample(samples, event.time, in_use);
  }
  return samples;
}

PoolSizes sizes_of_pools(std::vector<PoolState> states, Counters& counters) {
  std::stable_sort(states.begin(), states.end(),
                   [](const PoolState& a, const PoolState& b) { return a.time < b.time; });
  std::unordered_map<std::uint64_t, PoolState> pools;
  PoolSizes sizes;
  std::uint64_t reserved = 0, in_use = 0;
  for (const PoolState& state : states) {
    PoolState& pool = pools[state.address];
    reserved -= pool.reserved;
    in_use -= pool.in_use;
    const bool fits = state.reserved <= most_bytes - reserved && state.in_use <= most_bytes - in_use;
    if (!fits) ++counters["device.allocation_too_large"];
    pool = fits ? state : PoolState{};
    reserved += pool.reserved;
    in_use += pool.in_use;
    add_sample(sizes.reserved, state.time, reserved);
    add_sample(sizes.in_use, state.time, in_use);
  }
  return sizes;
}

std::vector<DeviceSample> running_sum(std::vector<DeviceSample> counts) {
  std::stable_sort(counts.begin(), counts.end(),
                   [](const DeviceSample& a, const DeviceSample& b) { return a.time < b.time; });
  std::vector<DeviceSample> sums;
  std::uint64_t sum = 0;
  for (const DeviceSample& count : counts) {
    sum += std::min(count.value, most_bytes - sum);
    add_sample(sums, count.time, sum);
  }
  return sums;
}

}  // namespace tracer::device
