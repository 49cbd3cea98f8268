// SPDX-License-Identifier: BSD-3-Clause
// Who may call CUPTI: nobody once its own exit handlers and destructors are about to run.
#pragma once

#include <time.h>

#include <atomic>

namespace tracer::device::cupti {

/// Calls nest. Not for the hooks around operations, which look at a flag of their own.
class Gate {
 public:
  class Pass {
   public:
    explicit Pass(Gate& gate) noexcept : gate_(gate), open_(gate.enter()) {}
    ~Pass() { gate_.inside_.fetch_sub(1); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    explicit operator bool() const noexcept { return open_; }

   private:
    Gate& gate_;
    const bool open_;
  };

  bool is_closed() const noexcept { return closed_.load(); }
  /// Nobody comes in any more; who is inside is waited for, but not for ever.
  void close() noexcept {
    closed_ = true;
    constexpr timespec nap{0, 1'000'000};
    for (int naps = 0; naps < 1000 && inside_.load() != 0; ++naps) ::nanosleep(&nap, nullptr);
  }
  /// In a forked child nobody is inside.
  void reset() noexcept { inside_ = 0; }

 private:
  bool enter() noexcept {
    inside_.fetch_add(1);
    return !closed_.load();
  }
  std::atomic<int> inside_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace tracer::device::cupti
