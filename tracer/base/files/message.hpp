// SPDX-License-Identifier: BSD-3-Clause
// Messages to a person: whoever should read them may have gone, or may not read for a while.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>

namespace tracer {

/// Writes all of `text`. The calling thread takes no signal for it: not SIGPIPE if nobody reads any more, SIGXFSZ
/// beyond RLIMIT_FSIZE or SIGTTOU of a background job. Waits one second, in all calls of the process together, for a
/// pipe that is full; what does not fit then is dropped. Any thread; errno is kept.
inline void write_message(int fd, std::string_view text) noexcept {
  static std::atomic<int> left{1000};  // ms
  const int saved = errno;
  sigset_t ours, before, pending;
  ::sigemptyset(&ours);
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGTTOU}) ::sigaddset(&ours, signal);
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  ::pthread_sigmask(SIG_BLOCK, &ours, &before);
  while (!text.empty()) {
    pollfd out{fd, POLLOUT, 0};
    timespec from{}, to{};
    ::clock_gettime(CLOCK_MONOTONIC, &from);
    const int ready = ::poll(&out, 1, left.load(std::memory_order_relaxed));
    ::clock_gettime(CLOCK_MONOTONIC, &to);
    const auto waited = (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1'000'000;
    left.store(left.load(std::memory_order_relaxed) > waited
                   ? left.load(std::memory_order_relaxed) - static_cast<int>(waited)
                   : 0,
               std::memory_order_relaxed);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) break;
    constexpr std::size_t at_once = 4096;  // a pipe that is ready has room for it (PIPE_BUF)
    const ssize_t n = ::write(fd, text.data(), text.size() < at_once ? text.size() : at_once);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) {
    sigset_t one;
    ::sigemptyset(&one);
    ::sigaddset(&one, signal);
    constexpr timespec now{};
    if (::sigismember(&pending, signal) == 0) ::sigtimedwait(&one, nullptr, &now);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = saved;
}

}  // namespace tracer
