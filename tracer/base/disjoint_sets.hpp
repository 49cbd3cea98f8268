// SPDX-License-Identifier: BSD-3-Clause
// Which of the numbers from 0 on belong together, as pairs of them are joined. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace tracer {

class DisjointSets {
 public:
  /// Each of `count` numbers alone in its set.
  explicit DisjointSets(std::size_t count) : joined_to_(count), sets_{count} {
    std::iota(joined_to_.begin(), joined_to_.end(), 0U);
  }
  /// Both are below the count. False: they were in one set before.
  bool join(std::uint32_t one, std::uint32_t other) {
    one = root_of(one);
    other = root_of(other);
    if (one == other) return false;
    joined_to_[one] = other;
    --sets_;
    return true;
  }
  std::size_t sets() const noexcept { return sets_; }
  /// One for all of its set.
  std::uint32_t root_of(std::uint32_t number) {
    while (joined_to_[number] != number) number = joined_to_[number] = joined_to_[joined_to_[number]];
    return number;
  }

 private:
  std::vector<std::uint32_t> joined_to_;  ///< another of the set; itself: one for all of them
  std::size_t sets_;
};

}  // namespace tracer
