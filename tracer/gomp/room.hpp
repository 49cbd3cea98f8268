// SPDX-License-Identifier: BSD-3-Clause
// Memory for what an entry point keeps while libgomp runs the program's code inside of the call. Not on the stack:
// calls nest as deeply as the program's stack permits, and that is sized for the program alone.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tracer::gomp {

/// A thread's. What is neither nested twice nor large needs no allocation. A handler of a signal leaves it as it was.
class Rooms {
 public:
  static constexpr unsigned count = 2, bytes = 256;

  /// For `size` bytes, aligned for whatever has no alignment of its own. nullptr: there is no memory.
  void* take(std::size_t size) noexcept {
    if (size > bytes) [[unlikely]]
      return std::malloc(size);
    for (unsigned i = 0; i < count; ++i) {
      if (is_taken_[i]) continue;
      is_taken_[i] = true;
      std::atomic_signal_fence(std::memory_order_seq_cst);
      return memory_[i];
    }
    return std::malloc(size);
  }
  void give_back(void* room) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(room) - reinterpret_cast<std::uintptr_t>(memory_);
    if (at >= sizeof memory_) [[unlikely]]
      return std::free(room);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    is_taken_[at / bytes] = false;
  }

 private:
  alignas(16) unsigned char memory_[count][bytes]{};
  bool is_taken_[count]{};
};

}  // namespace tracer::gomp
