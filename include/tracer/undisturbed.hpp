// SPDX-License-Identifier: BSD-3-Clause
// Signals and cancellation wait while the tool holds what a handler of the program might need.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace tracer {

/// The signals of the calling thread, but those that its own faults send, and its cancellation: cancellation in a
/// system call of ours would unwind through functions that let nothing pass. stop() and resume() on one thread; two
/// system calls.
class Disturbances {
 public:
  void stop() noexcept {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling_);
    const sigset_t ours = mask();
    are_blocked_ = pthread_sigmask(SIG_BLOCK, &ours, &before_) == 0;
  }
  void resume() const noexcept {
    if (are_blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    pthread_setcancelstate(cancelling_, nullptr);
  }

  /// Whether a thread's mask is one that stop() has made, perhaps of another library of ours: the program's is unknown.
  static bool has_made(const sigset_t& mask_of_thread) noexcept {
    const sigset_t ours = mask();
    for (int signal = 1; signal < SIGRTMIN; ++signal)
      if (signal != SIGKILL && signal != SIGSTOP && sigismember(&ours, signal) == 1 &&
          sigismember(&mask_of_thread, signal) != 1)
        return false;
    return true;
  }

 private:
  /// abort() unblocks SIGABRT itself.
  static sigset_t mask() noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&all, fault);
    return all;
  }

  sigset_t before_{};
  bool are_blocked_ = false;
  int cancelling_ = PTHREAD_CANCEL_ENABLE;
};

/// As long as it lives the calling thread is not disturbed.
class Undisturbed {
 public:
  Undisturbed() noexcept { disturbances_.stop(); }
  ~Undisturbed() { disturbances_.resume(); }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  Disturbances disturbances_;
};

}  // namespace tracer
