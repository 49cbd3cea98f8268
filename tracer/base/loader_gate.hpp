// SPDX-License-Identifier: BSD-3-Clause
// The only way to the loader's list of objects. dl_iterate_phdr() has a lock of the C library that fork() does not
// renew: a child of a process in which another thread had it hangs in its next look, in dlopen(), and, before glibc
// 2.35, where an exception is thrown. So nobody looks while a thread forks. Of use before main(): needs the C library
// only.
#pragma once

#include <link.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/base/spinning.hpp"

namespace tracer {

/// Each library has its own, with hold(), resume() and resume_in_child() as handlers of fork (pthread_atfork).
///
/// Order of locks: the thread that forks takes the gate behind all locks of ours, and waits in it for those that look.
/// So nobody takes a lock of ours inside of a look. Who waits before a look, in iterate(), may have locks that the
/// thread that forks takes later (the program's, in handlers of its own): all waits end after a second.
class [[gnu::visibility("hidden")]] LoaderGate {
 public:
  /// What would leave it by an exception would go through the C library, which loads libgcc_s.so.1 for that and ends
  /// the process where it cannot.
  using Callback = int (*)(dl_phdr_info*, std::size_t, void*) noexcept;

  /// As dl_iterate_phdr(). Waits until no other thread forks.
  static int iterate(Callback callback, void* data) {
    if (!enter() && (holds_ || !is_soon(enter))) inside_.fetch_add(1);
    const Leaving leaving;
    return ::dl_iterate_phdr(callback, data);
  }

  /// The same without waiting: `held`, and no call, while a thread forks.
  static int try_iterate(Callback callback, void* data) {
    if (!enter()) return held;
    const Leaving leaving;
    return ::dl_iterate_phdr(callback, data);
  }
  static constexpr int held = -1;

  /// From now on nobody looks. The calling thread may have the loader's lock itself, or be in a look: then a second
  /// passes.
  static void hold() noexcept {
    holders_.fetch_add(1);
    holds_ = true;
    is_soon([] { return inside_.load() <= 0; });
  }
  static void resume() noexcept {
    holds_ = false;
    holders_.fetch_sub(1);
  }
  /// Of those that were in a look none is in the child.
  static void resume_in_child() noexcept {
    inside_.store(0);
    holds_ = false;
    holders_.store(0);
  }

 private:
  struct Leaving {
    Leaving() = default;
    Leaving(const Leaving&) = delete;
    Leaving& operator=(const Leaving&) = delete;
    ~Leaving() { inside_.fetch_sub(1); }
  };

  static bool enter() noexcept {
    inside_.fetch_add(1);
    if (holders_.load() == 0) return true;
    inside_.fetch_sub(1);
    return false;
  }

  /// Waits until it is so. False: it was not within a second.
  template <class Is>
  static bool is_soon(Is is_so) noexcept {
    constexpr std::uint64_t longest = 1'000'000'000;
    const std::uint64_t begin = nanoseconds();
    bool is = is_so();
    for (unsigned turn = 0; !is && nanoseconds() - begin < longest; ++turn) {
      take_turn(turn);
      is = is_so();
    }
    return is;
  }
  static std::uint64_t nanoseconds() noexcept {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  }

  static inline constinit std::atomic<std::int32_t> inside_{0};   ///< threads; -1 in a child that a look forked
  static inline constinit std::atomic<std::int32_t> holders_{0};  ///< threads that fork
  static inline constinit thread_local bool holds_ __attribute__((tls_model("initial-exec"))) = false;
};

}  // namespace tracer
