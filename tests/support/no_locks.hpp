// SPDX-License-Identifier: BSD-3-Clause
// A file system without locks, as parallel ones are by some mount options. In one file of an executable only: it stands
// in the place of the C library's function.
#pragma once

#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace tracer::test {

inline std::atomic<bool> has_no_locks{false};

/// As long as one lives nothing can be locked.
struct NoLocks {
  NoLocks() { has_no_locks = true; }
  ~NoLocks() { has_no_locks = false; }
  NoLocks(const NoLocks&) = delete;
  NoLocks& operator=(const NoLocks&) = delete;
};

}  // namespace tracer::test

extern "C" int flock(int fd, int operation) noexcept {
  if (!tracer::test::has_no_locks) return static_cast<int>(::syscall(SYS_flock, fd, operation));
  errno = ENOSYS;
  return -1;
}
