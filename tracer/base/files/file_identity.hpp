// SPDX-License-Identifier: BSD-3-Clause
// Which file it is, whatever names lead to it.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

namespace tracer {

/// Of a file, directory or anything else that has an inode. No two that are there at a time have the same; what is gone
/// may have had that of one that is there. Signal-safe; any thread.
class FileIdentity {
 public:
  /// Of nothing.
  constexpr FileIdentity() = default;
  explicit FileIdentity(const struct stat& info) noexcept : device_(info.st_dev), inode_(info.st_ino) {}
  /// Of what is open; of nothing, with errno, when nothing is. Its times are not looked at where the kernel permits
  /// that: it answers such a look with a precise time at the next write, for which it writes the inode each time.
  static FileIdentity of(int fd) noexcept {
    struct statx brief {};
    if (::statx(fd, "", AT_EMPTY_PATH, STATX_INO, &brief) == 0 && (brief.stx_mask & STATX_INO) != 0)
      return {makedev(brief.stx_dev_major, brief.stx_dev_minor), brief.stx_ino};
    struct stat info {};
    return ::fstat(fd, &info) == 0 ? FileIdentity(info) : FileIdentity();
  }
  /// Of what the path leads to, at its end not through a link unless `follow`; of nothing, with errno, when nothing is.
  static FileIdentity at(const char* path, bool follow, int directory = AT_FDCWD) noexcept {
    struct stat info {};
    return ::fstatat(directory, path, &info, follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 ? FileIdentity(info)
                                                                                    : FileIdentity();
  }

  constexpr explicit operator bool() const noexcept { return inode_ != 0; }
  /// Both are there, and the same.
  constexpr bool is(const FileIdentity& other) const noexcept {
    return *this && device_ == other.device_ && inode_ == other.inode_;
  }

 private:
  FileIdentity(dev_t device, ino_t inode) noexcept : device_(device), inode_(inode) {}

  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace tracer
