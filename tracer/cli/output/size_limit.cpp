// SPDX-License-Identifier: BSD-3-Clause
// See size_limit.hpp. A handler, and not SIG_IGN: an exec resets a handler, and passes on what is ignored.
#include "tracer/cli/output/size_limit.hpp"

#include <csignal>

namespace tracer::cli {

void fail_at_size_limit() noexcept {
  struct sigaction action {};
  if (::sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace tracer::cli
