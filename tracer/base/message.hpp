// SPDX-License-Identifier: BSD-3-Clause
// Messages to a person: whoever should read them may have gone, or may not read for a while. The C library only: front
// ends include it.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

#include "tracer/base/clock.hpp"
#include "tracer/base/files/write_signals.hpp"

namespace tracer {

/// Writes all of `text`. Takes no signal for it (WithoutWriteSignals). Waits one second, in all calls of the process
/// together, for a pipe that is full; what does not fit then is dropped. Any thread; errno is kept.
inline void write_message(int fd, std::string_view text) noexcept {
  constexpr std::size_t at_once = 4096;         // a pipe that is ready has room for it (PIPE_BUF)
  static std::atomic<std::int64_t> left{1000};  // ms
  const int saved = errno;
  {
    const WithoutWriteSignals guard;
    while (!text.empty()) {
      pollfd out{fd, POLLOUT, 0};
      const Ticks from = read_monotonic();
      const int ready = ::poll(&out, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
      left -= static_cast<std::int64_t>((read_monotonic() - from) / 1'000'000);
      if (ready == 0) break;
      const ssize_t n = ready < 0 ? -1 : ::write(fd, text.data(), std::min(text.size(), at_once));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  errno = saved;
}

}  // namespace tracer
