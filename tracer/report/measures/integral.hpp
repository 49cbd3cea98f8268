// SPDX-License-Identifier: BSD-3-Clause
// How long a count that goes up and down was not zero, and how long one of several intervals lasted at least.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tracer::report {

/// How long a count was above zero.
class Integral {
 public:
  void add(std::int64_t amount, std::uint64_t time) {
    sum_ = value(time);
    since_ = std::max(since_, time);
    count_ += amount;
  }
  /// Whether the count is 1 or 0 from then on.
  void set(bool is_above, std::uint64_t time) { add((is_above ? 1 : 0) - count_, time); }
  std::uint64_t value(std::uint64_t time) const { return sum_ + (count_ > 0 && time > since_ ? time - since_ : 0); }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::uint64_t sum_ = 0, since_ = 0;
};

/// The union of intervals that come in the order of their ends.
class Covered {
 public:
  void add(std::uint64_t begin, std::uint64_t end) {
    while (!parts_.empty() && parts_.back().second >= begin) {
      begin = std::min(begin, parts_.back().first);
      end = std::max(end, parts_.back().second);
      sum_ -= parts_.back().second - parts_.back().first;
      parts_.pop_back();
    }
    if (parts_.size() == most) parts_.erase(parts_.begin());
    parts_.emplace_back(begin, end);
    sum_ += end - begin;
  }
  std::uint64_t value() const { return sum_; }

 private:
  static constexpr std::size_t most = 64;  ///< that a later interval may still join
  std::vector<std::pair<std::uint64_t, std::uint64_t>> parts_;
  std::uint64_t sum_ = 0;
};

}  // namespace tracer::report
