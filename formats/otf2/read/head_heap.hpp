// SPDX-License-Identifier: BSD-3-Clause
// Which of many streams comes first: a heap whose first is changed in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tracer::otf2 {

/// One thread at a time.
class HeadHeap {
 public:
  using Head = std::pair<std::uint64_t, std::size_t>;  ///< time, and a number that decides where times are equal

  bool empty() const noexcept { return heads_.empty(); }
  const Head& first() const noexcept { return heads_.front(); }  ///< there must be one
  /// What comes behind the first; the largest of all numbers where nothing does.
  Head second() const noexcept {
    if (heads_.size() > 2) return std::min(heads_[1], heads_[2]);
    return heads_.size() == 2 ? heads_[1] : Head{~std::uint64_t{0}, ~std::size_t{0}};
  }
  void add(Head head) {
    heads_.push_back(head);
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
  }
  /// There must be one.
  void change_first(Head head) noexcept {
    const std::size_t size = heads_.size();
    std::size_t hole = 0;
    for (std::size_t child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && heads_[child + 1] < heads_[child]) ++child;
      if (!(heads_[child] < head)) break;
      heads_[hole] = heads_[child];
      hole = child;
    }
    heads_[hole] = head;
  }
  void remove_first() noexcept {
    const Head last = heads_.back();
    heads_.pop_back();
    if (!heads_.empty()) change_first(last);
  }

 private:
  std::vector<Head> heads_;
};

}  // namespace tracer::otf2
