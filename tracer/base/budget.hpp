// SPDX-License-Identifier: BSD-3-Clause
// How much may be made of what a file says: in few bytes it can name large numbers, and refer to one thing a million
// times.
#pragma once

#include <cstdint>

namespace tracer {

class Budget {
 public:
  explicit constexpr Budget(std::uint64_t most) noexcept : left_(most) {}

  /// False: so much is not left, and nothing was taken.
  [[nodiscard]] constexpr bool take(std::uint64_t amount) noexcept {
    if (amount > left_) return false;
    left_ -= amount;
    return true;
  }
  constexpr std::uint64_t left() const noexcept { return left_; }

 private:
  std::uint64_t left_;
};

}  // namespace tracer
