// SPDX-License-Identifier: BSD-3-Clause
// Notices that records have stopped while operations go on.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "device/cupti/calls.hpp"

namespace tracer::device::cupti {

/// A later profiler of the process (PyTorch's) that registers its own buffers replaces ours, without a notification.
class Silence {
 public:
  /// Any thread: the host requests an operation.
  void asked() noexcept { asked_.fetch_add(1, std::memory_order_relaxed); }
  /// Any thread: it has called CUDA. What it requested counts once it has waited: a kernel may run for long until then.
  void called(CallKind kind) noexcept {
    switch (kind) {
      case CallKind::launch:
      case CallKind::copy:
      case CallKind::set:
      case CallKind::graph:
        ++requested_;
        return;
      case CallKind::synchronization:
        asked_.fetch_add(std::exchange(requested_, 0), std::memory_order_relaxed);
        return;
      default:
        return;
    }
  }
  /// Records have come.
  void heard() noexcept { heard_.store(asked_.load(std::memory_order_relaxed), std::memory_order_relaxed); }
  /// Once, when many operations and some seconds have brought none. A kernel that runs for long may bring it about.
  bool is_new(std::uint64_t time) noexcept {
    const auto asked = asked_.load(std::memory_order_relaxed), heard = heard_.load(std::memory_order_relaxed);
    if (asked < heard + many || heard != heard_before_ || since_ == 0) {
      heard_before_ = heard;
      since_ = time;
      return false;
    }
    if (is_reported_ || time - since_ < patience) return false;
    return is_reported_ = true;
  }

 private:
  static constexpr std::uint64_t many = 100, patience = 5'000'000'000;
  static inline thread_local unsigned requested_ = 0;  // by calls of this thread, since it waited
  std::atomic<std::uint64_t> asked_{0}, heard_{0};
  std::uint64_t heard_before_ = 0, since_ = 0;
  bool is_reported_ = false;
};

}  // namespace tracer::device::cupti
