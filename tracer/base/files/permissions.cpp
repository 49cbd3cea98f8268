// SPDX-License-Identifier: BSD-3-Clause
// See permissions.hpp.
#include "tracer/base/files/permissions.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"

namespace tracer {

bool make_readable_directory(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0755) != 0) {
    if (errno != EEXIST) throw Error(system_message("cannot make the directory " + path.string(), errno));
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0 || (!S_ISCHR(there.st_mode) && !S_ISBLK(there.st_mode))) return false;
    throw Error(path.string() + " is a device, no directory");
  }
  struct stat made {};
  if (::lstat(path.c_str(), &made) == 0 && S_ISDIR(made.st_mode) && (made.st_mode & 0700) != 0700)
    ::fchmodat(AT_FDCWD, path.c_str(), (made.st_mode & 0755) | 0700, 0);
  return true;
}

void make_parents(const std::filesystem::path& path) {
  std::filesystem::path built;
  std::error_code error;
  for (const auto& part : path.parent_path()) {
    built /= part;
    if (!std::filesystem::exists(built, error)) make_readable_directory(built);
  }
}

void keep_from_writing(int directory, const char* name) noexcept {
  struct stat made {};
  if (::fstatat(directory, name, &made, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISREG(made.st_mode)) ::fchmodat(directory, name, (made.st_mode & 0644) | 0600, 0);
  if (S_ISDIR(made.st_mode)) ::fchmodat(directory, name, (made.st_mode & 0755) | 0700, 0);
}

}  // namespace tracer
