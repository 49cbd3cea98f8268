// SPDX-License-Identifier: BSD-3-Clause
// Threads of the tool take no signals: they are for the program's, or for the thread that waits for them.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace tracer {

/// As long as it lives the calling thread blocks all signals; a thread that it starts keeps them blocked. Two system
/// calls.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tracer
