// SPDX-License-Identifier: BSD-3-Clause
// The ids of tasks that a channel's thread made.
#pragma once

#include <cstdint>

namespace tracer::translate {

/// Extends the half of a task's counter that its creation record has room for: creations of a channel
/// are in the order of their counters. Whoever reads a channel has one of its own.
class TaskCounter {
 public:
  std::uint64_t extend(std::uint32_t low) noexcept {
    std::uint64_t counter = (last_ & ~std::uint64_t{0xffffffffu}) | low;
    if (counter + 0x80000000u < last_) counter += std::uint64_t{1} << 32;
    return last_ = counter;
  }

 private:
  std::uint64_t last_ = 0;
};

}  // namespace tracer::translate
