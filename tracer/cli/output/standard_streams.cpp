// SPDX-License-Identifier: BSD-3-Clause
// See standard_streams.hpp.
#include "tracer/cli/output/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace tracer::cli {

void hold_standard_streams() noexcept {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (::fcntl(fd, F_GETFD) < 0) static_cast<void>(::open("/", O_PATH | O_CLOEXEC));  // the lowest that is free
}

}  // namespace tracer::cli
