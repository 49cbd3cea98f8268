// SPDX-License-Identifier: BSD-3-Clause
// On which processors the drainer's thread may run: on those where no thread was that fills rings, as long as there are
// such. The kernel wakes a thread where its waker runs, and moves it only when it looks around, which is later than
// short runs end.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/base/processors.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/time.hpp"

namespace tracer {

class Placement {
 public:
  /// The calling thread fills the channel's ring. Any thread; loads and, once in a while, an atomic operation.
  void note_producer(Channel& channel) noexcept;
  /// Producers are on all processors that the process may use, and are no fewer than those. As of the last apply().
  bool is_crowded() const noexcept { return is_crowded_.load(std::memory_order_relaxed); }
  /// Drainer's thread, before it works: a system call where something has changed.
  void apply() noexcept;
  /// Drainer's thread: it may run wherever the process may, and so may the threads that it makes.
  void lift() noexcept;

 private:
  static constexpr Nanoseconds memory_ns = 100'000'000;  ///< processors count as used for one to two of these
  static constexpr std::size_t bits = 8 * sizeof ProcessorMask{}.words[0],
                               words = sizeof ProcessorMask{}.words / (bits / 8);

  std::array<std::atomic<unsigned long>, words> used_{};
  std::atomic<std::uint32_t> window_{1}, producers_{0};  ///< the time in which producers are counted, and how many
  std::atomic<bool> is_new_{false}, is_crowded_{false};
  // Of the drainer's thread
  std::uint32_t producers_before_ = 0;
  ProcessorMask before_, applied_;  ///< used in the time before; what the thread has, where it is restricted
  bool is_restricted_ = false;
  Nanoseconds due_ = 0;
};

}  // namespace tracer
