// SPDX-License-Identifier: BSD-3-Clause
// Keeps what is remembered of very many things, as of a lock for each element of a program's data, in bounded memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tracer::report {

/// Erases half of a map's entries that may go, those that were used longest ago. `last_use(value)`: a time; nothing
/// where the entry has to stay. `gone(value)` is told before. Returns how many may be there before it is worth being
/// called again.
template <class Map, class LastUse, class Gone>
std::size_t forget_half(Map& map, LastUse&& last_use, Gone&& gone) {
  std::vector<std::uint64_t> times;
  for (const auto& [key, value] : map)
    if (const std::optional<std::uint64_t> time = last_use(value)) times.push_back(*time);
  if (!times.empty()) {
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    for (auto entry = map.begin(); entry != map.end();) {
      const std::optional<std::uint64_t> time = last_use(entry->second);
      if (time && *time <= *middle) {
        gone(entry->second);
        entry = map.erase(entry);
      } else {
        ++entry;
      }
    }
  }
  return 2 * map.size();
}

}  // namespace tracer::report
