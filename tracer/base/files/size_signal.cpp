// SPDX-License-Identifier: BSD-3-Clause
// See size_signal.hpp.
#include "tracer/base/files/size_signal.hpp"

#include <pthread.h>
#include <ctime>

#include "tracer/base/files/file.hpp"

namespace tracer {
namespace {

sigset_t size_signal() noexcept {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGXFSZ);
  return set;
}

bool is_pending() noexcept {
  sigset_t pending;
  return ::sigpending(&pending) == 0 && ::sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

WithoutSizeSignal::WithoutSizeSignal() noexcept {
  const sigset_t set = size_signal();
  ::pthread_sigmask(SIG_BLOCK, &set, &before_);
  is_the_programs_ = ::sigismember(&before_, SIGXFSZ) == 1 && is_pending();
}

WithoutSizeSignal::~WithoutSizeSignal() {
  const KeepErrno keep;
  const sigset_t set = size_signal();
  constexpr timespec at_once{};
  if (!is_the_programs_ && is_pending()) ::sigtimedwait(&set, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace tracer
