// SPDX-License-Identifier: BSD-3-Clause
// Parts of an address space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tracer {

struct AddressRange {
  std::uint64_t begin = 0, end = 0;
  bool contains(std::uint64_t address) const noexcept { return address - begin < end - begin; }
};

class AddressRanges {
 public:
  AddressRanges() = default;
  explicit AddressRanges(std::vector<AddressRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    for (const AddressRange& range : ranges) {
      if (range.begin >= range.end) continue;
      if (ranges_.empty() || range.begin > ranges_.back().end)
        ranges_.push_back(range);
      else
        ranges_.back().end = std::max(ranges_.back().end, range.end);
    }
  }
  bool contains(std::uint64_t address) const noexcept {
    if (ranges_.size() > few) [[unlikely]]
      return is_in_many(address);
    for (const AddressRange& range : ranges_)
      if (range.contains(address)) return true;
    return false;
  }

 private:
  /// Runs have few; a journal may claim any number, and each record asks.
  static constexpr std::size_t few = 16;
  bool is_in_many(std::uint64_t address) const noexcept {
    const auto behind = std::upper_bound(ranges_.begin(), ranges_.end(), address,
                                         [](std::uint64_t one, const auto& range) { return one < range.begin; });
    return behind != ranges_.begin() && std::prev(behind)->contains(address);
  }

  std::vector<AddressRange> ranges_;  ///< in order; none overlap
};

}  // namespace tracer
