// SPDX-License-Identifier: BSD-3-Clause
// The channels of a session: grows while others walk it, who take no lock.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <new>

#include "tracer/session/lasting_allocator.hpp"

namespace tracer {

class Channel;

class ChannelList {
 public:
  /// Any thread.
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }
  Channel& operator[](std::size_t index) const noexcept {
    const std::size_t block = block_of(index);
    return *blocks_[block].load(std::memory_order_acquire)[index - first_of(block)];
  }

  // One thread at a time.
  /// For one more, who add()s itself or gives the place back: by then it needs no memory. Throws std::bad_alloc; the
  /// list is then as before.
  void take_place() {
    const std::size_t block = block_of(size_.load(std::memory_order_relaxed) + taken_);
    if (block >= blocks_.size()) throw std::bad_alloc();
    if (blocks_[block].load(std::memory_order_relaxed) == nullptr)
      blocks_[block].store(static_cast<Channel**>(lasting_memory(sizeof(Channel*) << block)),
                           std::memory_order_release);
    ++taken_;
  }
  void give_place_back() noexcept { --taken_; }
  void add(Channel& channel) noexcept {
    const std::size_t index = size_.load(std::memory_order_relaxed), block = block_of(index);
    blocks_[block].load(std::memory_order_relaxed)[index - first_of(block)] = &channel;
    --taken_;
    size_.store(index + 1, std::memory_order_release);
  }

 private:
  // Block n has 2^n elements.
  static std::size_t block_of(std::size_t index) noexcept {
    return static_cast<std::size_t>(std::bit_width(index + 1)) - 1;
  }
  static std::size_t first_of(std::size_t block) noexcept { return (std::size_t{1} << block) - 1; }

  std::array<std::atomic<Channel**>, 25> blocks_{};  ///< more than a trace may have threads
  std::size_t taken_ = 0;                            ///< places behind the last element
  std::atomic<std::size_t> size_{0};
};

}  // namespace tracer
