// SPDX-License-Identifier: BSD-3-Clause
// Writes that may fail, and the signals that the kernel sends for them. The C library only: front ends include it.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <csignal>
#include <ctime>

namespace tracer {

/// While it lives, writes of the calling thread fail instead of sending a signal, which would end the program or run
/// its handler: beyond RLIMIT_FSIZE (SIGXFSZ), into a pipe that nobody reads (SIGPIPE), to the terminal of another job
/// (SIGTTOU; that write succeeds). Around every write, truncate and fallocate of ours that is done on a thread of the
/// program's. Threads that are started meanwhile inherit the mask. errno is kept.
class WithoutWriteSignals {
 public:
  WithoutWriteSignals() noexcept {
    sigset_t ours;
    ::sigemptyset(&ours);
    for (const int signal : signals) ::sigaddset(&ours, signal);
    ::pthread_sigmask(SIG_BLOCK, &ours, &before_);
    ::sigemptyset(&the_programs_);
    for (const int signal : signals)
      if (::sigismember(&before_, signal) == 1 && is_pending(signal)) ::sigaddset(&the_programs_, signal);
  }
  ~WithoutWriteSignals() {
    const int saved = errno;
    sigset_t pending;
    ::sigpending(&pending);
    for (const int signal : signals)
      if (::sigismember(&pending, signal) == 1 && ::sigismember(&the_programs_, signal) == 0) take(signal);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }
  WithoutWriteSignals(const WithoutWriteSignals&) = delete;
  WithoutWriteSignals& operator=(const WithoutWriteSignals&) = delete;

 private:
  static constexpr int signals[] = {SIGXFSZ, SIGPIPE, SIGTTOU};

  static bool is_pending(int signal) noexcept {
    sigset_t pending;
    return ::sigpending(&pending) == 0 && ::sigismember(&pending, signal) == 1;
  }
  static void take(int signal) noexcept {
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    constexpr timespec at_once{};
    ::sigtimedwait(&one, nullptr, &at_once);
  }

  sigset_t before_, the_programs_;  ///< the mask; those that were pending already
};

}  // namespace tracer
