// SPDX-License-Identifier: BSD-3-Clause
// Files that meet the program's limit of file sizes.
#pragma once

#include <csignal>

namespace tracer {

/// While it lives, the calling thread's writes beyond RLIMIT_FSIZE fail (EFBIG) and the kernel's SIGXFSZ for them,
/// which would end the program or run its handler, comes to nobody. Around every write, truncate and fallocate of ours
/// that is done on a thread of the program's. Threads that are started meanwhile inherit the mask.
class WithoutSizeSignal {
 public:
  WithoutSizeSignal() noexcept;
  ~WithoutSizeSignal();
  WithoutSizeSignal(const WithoutSizeSignal&) = delete;
  WithoutSizeSignal& operator=(const WithoutSizeSignal&) = delete;

 private:
  sigset_t before_;
  bool is_the_programs_;  ///< one was pending already
};

}  // namespace tracer
