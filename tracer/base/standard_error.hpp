// SPDX-License-Identifier: BSD-3-Clause
// For libraries that print a warning at their end, maybe without libtracer.so in the process. Needs the C library only.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

namespace tracer {

/// The process and the standard error of a library's start: a forked child says nothing again, and the program may have
/// put a file of its own at descriptor 2.
class StandardErrorOfStart {
 public:
  void remember() noexcept {
    if (::fstat(STDERR_FILENO, &file_) == 0) process_ = ::getpid();
  }
  /// Not in a forked child, and not where it was closed at the start or is another file by now.
  bool is_still_there() const noexcept {
    struct stat now {};
    return process_ == ::getpid() && ::fstat(STDERR_FILENO, &now) == 0 && now.st_dev == file_.st_dev &&
           now.st_ino == file_.st_ino;
  }

 private:
  pid_t process_ = 0;
  struct stat file_ {};
};

}  // namespace tracer
