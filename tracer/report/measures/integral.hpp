// SPDX-License-Identifier: BSD-3-Clause
// A count that goes up and down, and how long it was not zero.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tracer::report {

/// How long a count was above zero.
class Integral {
 public:
  void add(std::int64_t amount, std::uint64_t time) {
    sum_ = value(time);
    since_ = std::max(since_, time);
    count_ += amount;
  }
  std::uint64_t value(std::uint64_t time) const { return sum_ + (count_ > 0 && time > since_ ? time - since_ : 0); }
  std::int64_t count() const { return count_; }

 private:
  std::int64_t count_ = 0;
  std::uint64_t sum_ = 0, since_ = 0;
};

}  // namespace tracer::report
