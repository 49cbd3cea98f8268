// SPDX-License-Identifier: BSD-3-Clause
// See file_lock.hpp.
#include "tracer/base/files/file_lock.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstddef>

#include "tracer/base/files/regular_file.hpp"

namespace tracer {
namespace {

struct Part {
  off_t from, bytes;
};
constexpr Part of_recorder{0, 1}, of_converter{1, 1}, both{0, 2};

struct flock words(short type, Part part) noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = part.from;
  lock.l_len = part.bytes;
  return lock;
}

/// 0 or the errno.
int set(int fd, Part part, bool wait) noexcept {
  struct flock lock = words(F_WRLCK, part);
  int result = 0;
  do {
    result = ::fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &lock);
  } while (result != 0 && errno == EINTR);
  return result == 0 ? 0 : errno == EACCES ? EAGAIN : errno;
}

bool is_removed(int fd) noexcept {
  struct stat info {};
  return ::fstat(fd, &info) == 0 && info.st_nlink == 0;
}

/// -1 unknown, 0 free, 1 locked
int is_locked(int fd, Part part) noexcept {
  struct flock lock = words(F_WRLCK, part);
  if (::fcntl(fd, F_OFD_GETLK, &lock) != 0) return -1;
  return lock.l_type == F_UNLCK ? 0 : 1;
}

}  // namespace

FileUse use_of(int fd) noexcept {
  const int converts = is_locked(fd, of_converter);
  if (converts != 0) return converts > 0 ? FileUse::converter : FileUse::unknown;
  const int records = is_locked(fd, of_recorder);
  if (records < 0) return FileUse::unknown;
  return records > 0 ? FileUse::recorder : FileUse::free;
}

int RecorderLock::take(const std::filesystem::path& path) noexcept {
  UniqueFd fd = open_regular(path.c_str(), Links::refuse, O_RDWR).fd;
  if (!fd) return errno == ENOENT ? ESTALE : errno;
  if (const int error = set(fd.get(), of_recorder, false)) return error;
  if (is_removed(fd.get())) return ESTALE;
  const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* page = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE, fd.get(), 0);
  if (page != MAP_FAILED && ::madvise(page, size, MADV_DONTFORK) == 0) {
    page_ = page;
    return 0;
  }
  if (page != MAP_FAILED) ::munmap(page, size);
  fd_ = OwnDescriptor(std::move(fd));
  return 0;
}

void RecorderLock::release() noexcept {
  if (page_) ::munmap(page_, static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)));
  page_ = nullptr;
  fd_.reset();
}

ConverterLock::Got ConverterLock::take(const std::filesystem::path& path, bool own, bool wait) noexcept {
  fd_ = open_regular(path.c_str(), Links::refuse, O_RDWR).fd;
  if (!fd_) return errno == ENOENT ? Got::removed : Got::no_locks;
  const int error = set(fd_.get(), own ? of_converter : both, wait);
  if (error == EAGAIN) return Got::in_use;
  if (error != 0) return Got::no_locks;
  return is_removed(fd_.get()) ? Got::removed : Got::lock;
}

}  // namespace tracer
