// SPDX-License-Identifier: BSD-3-Clause
// Signals and cancellation wait while the tool holds what a handler of the program might need.
#pragma once

#include <pthread.h>
#include <signal.h>

#include <initializer_list>

namespace tracer {

/// As long as it lives the calling thread takes no signal but those of its own faults, and is not cancelled:
/// cancellation in a system call of ours would unwind through functions that let nothing pass. Two system calls.
class Undisturbed {
 public:
  Undisturbed() noexcept {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelling_);
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) sigdelset(&all, fault);
    are_blocked_ = pthread_sigmask(SIG_BLOCK, &all, &before_) == 0;
  }
  ~Undisturbed() {
    if (are_blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    pthread_setcancelstate(cancelling_, nullptr);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;

 private:
  sigset_t before_;
  bool are_blocked_;
  int cancelling_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace tracer
