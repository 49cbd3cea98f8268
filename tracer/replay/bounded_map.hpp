// SPDX-License-Identifier: BSD-3-Clause
// Keeps what is remembered of very many things, as of a lock for each element of a program's data, in bounded memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tracer::report {

/// How many entries a map may have. One thread.
class Bound {
 public:
  explicit Bound(std::size_t most) : most_{most} {}

  /// map[key]. Before a new entry of a full map half of those that may go are forgotten, those that were used longest
  /// ago. `last_use(value)`: a time; nothing where the entry has to stay. `gone(value)` is called before.
  template <class Map, class LastUse, class Gone>
  typename Map::mapped_type& entry(Map& map, const typename Map::key_type& key, LastUse&& last_use, Gone&& gone) {
    if (map.size() >= most_ && map.count(key) == 0) {
      forget_half(map, last_use, gone);
      most_ = std::max(most_, 2 * map.size());
    }
    return map[key];
  }
  template <class Map, class LastUse>
  typename Map::mapped_type& entry(Map& map, const typename Map::key_type& key, LastUse&& last_use) {
    return entry(map, key, last_use, [](const auto&) {});
  }

 private:
  template <class Map, class LastUse, class Gone>
  static void forget_half(Map& map, LastUse&& last_use, Gone&& gone) {
    std::vector<std::uint64_t> times;
    for (const auto& [key, value] : map)
      if (const std::optional<std::uint64_t> time = last_use(value)) times.push_back(*time);
    if (times.empty()) return;
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

  std::size_t most_;
};

}  // namespace tracer::report
