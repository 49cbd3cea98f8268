// SPDX-License-Identifier: BSD-3-Clause
// Files that stay right inside a program that closes descriptors, forks and runs out of disk.
#include "tracer/base/files/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "tracer/base/files/write_signals.hpp"
#include "tracer/base/memory_checks.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer {
namespace {

/// Descriptors from here on, or the last that the limit allows: programs, shells and daemons count on the low numbers.
constexpr int lowest_descriptor = 400, last_descriptors = 8;

int move_up(int fd) noexcept {
  int high = ::fcntl(fd, F_DUPFD_CLOEXEC, lowest_descriptor);
  rlimit limit{};
  if (high < 0 && ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < lowest_descriptor + last_descriptors)
    high = ::fcntl(fd, F_DUPFD_CLOEXEC, std::max(static_cast<int>(limit.rlim_cur) - last_descriptors, fd));
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

/// Writes all of `part` at `offset`; 0 or the errno.
int write_at(int fd, std::span<const std::byte> part, std::uint64_t offset) noexcept {
  while (!part.empty()) {
    const ssize_t n = ::pwrite(fd, part.data(), part.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    part = part.subspan(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return 0;
}

/// Two parts by one call; false where not all of it was written, or nothing.
bool write_both_at(int fd, std::span<const std::byte> first, std::span<const std::byte> second,
                   std::uint64_t offset) noexcept {
  const iovec parts[] = {{const_cast<std::byte*>(first.data()), first.size()},
                         {const_cast<std::byte*>(second.data()), second.size()}};
  const ssize_t n = ::pwritev(fd, parts, 2, static_cast<off_t>(offset));
  return n >= 0 && static_cast<std::size_t>(n) == first.size() + second.size();
}

}  // namespace

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = other.release();
  }
  return *this;
}

void UniqueFd::reset() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

// Nor does a sanitizer notice: in a program of MemorySanitizer what follows is not checked.
KeepErrno::KeepErrno() noexcept : saved_(errno) {
  begin_without_memory_checks();
}
KeepErrno::~KeepErrno() {
  end_without_memory_checks();
  errno = saved_;
}

UniqueFd moved_up(UniqueFd fd) noexcept {
  return fd ? UniqueFd{move_up(fd.release())} : UniqueFd{};
}

void make_room_for_descriptors(int fd) noexcept {
  static_cast<void>(::fcntl(fd, F_DUPFD_CLOEXEC, lowest_descriptor));  // closed by the exec
}

bool write_whole(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

OwnFile OwnFile::create(const std::filesystem::path& at, const std::filesystem::path& path) {
  OwnFile file;
  file.path_ = path;
  UniqueFd fd = make_private_file(at.c_str());
  if (!fd) throw Error(system_message("cannot make " + path.string(), errno));
  file.fd_ = move_up(fd.release());
  file.identity_ = FileIdentity::of(file.fd_);
  if (!file.identity_) throw Error(system_message("cannot inspect " + path.string(), errno));
  return file;
}

int OwnFile::descriptor() noexcept {
  if (identity_.is(FileIdentity::of(fd_))) return fd_;
  const int fd = ::open(path_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  if (!identity_.is(FileIdentity::of(fd))) {
    ::close(fd);
    errno = ESTALE;
    return -1;
  }
  return fd_ = move_up(fd);
}

bool OwnFile::reserve(std::uint64_t bytes) noexcept {
  const WithoutWriteSignals guard;
  const int fd = descriptor();
  if (fd < 0) return false;
  return ::fallocate(fd, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size_), static_cast<off_t>(bytes)) == 0 ||
         (errno != ENOSPC && errno != EDQUOT && errno != EINTR);
}

int OwnFile::append(std::span<const std::span<const std::byte>> parts) noexcept {
  const WithoutWriteSignals guard;
  const int fd = descriptor();
  if (fd < 0) return errno;
  std::uint64_t end = size_;
  if (parts.size() == 2 && write_both_at(fd, parts[0], parts[1], end)) {
    size_ += parts[0].size() + parts[1].size();
    return 0;
  }
  for (const auto& part : parts) {
    if (const int error = write_at(fd, part, end)) {
      [[maybe_unused]] const int shortened = ::ftruncate(fd, static_cast<off_t>(size_));
      return error;
    }
    end += part.size();
  }
  size_ = end;
  return 0;
}

int OwnFile::append(std::span<const std::byte> part) noexcept {
  return append(std::span<const std::span<const std::byte>>(&part, 1));
}

void OwnFile::close() noexcept {
  if (identity_.is(FileIdentity::of(fd_))) ::close(fd_);
  fd_ = -1;
}

UniqueFd make_private_file(const char* path, int directory) noexcept {
  UniqueFd fd{::openat(directory, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
  if (fd) ::fchmod(fd.get(), 0600);  // whatever the umask made of it
  return fd;
}

UniqueFd make_file_without_name(const char* directory, const char* name) noexcept {
  UniqueFd fd{::open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)};
  if (!fd) fd = UniqueFd{::memfd_create(name, MFD_CLOEXEC)};
  return fd;
}

std::uint64_t data_from(int fd, std::uint64_t offset, std::uint64_t end) noexcept {
  if (offset >= end) return end;
  const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? end : offset;
  return std::min(static_cast<std::uint64_t>(data), end);
}

bool make_private_directory(const std::filesystem::path& path) {
  if (::mkdir(path.c_str(), 0700) == 0) {
    ::fchmodat(AT_FDCWD, path.c_str(), 0700, AT_SYMLINK_NOFOLLOW);  // whatever the umask made of it
    return true;
  }
  if (errno == EEXIST) return false;
  throw Error(system_message("cannot make the directory " + path.string(), errno));
}

bool read_at(int fd, void* to, std::size_t size, std::uint64_t offset) noexcept {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t n = ::pread(fd, at, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

bool is_there(const std::filesystem::path& path) noexcept {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

std::string random_name() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    bits = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
    bits = bits * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(::getpid()) << 32;
  }
  return hexadecimal(std::span(reinterpret_cast<const unsigned char*>(&bits), sizeof bits));
}

std::string system_message(const std::string& what, int error) {
  char buffer[128] = "";
  const char* const advice = error == EFBIG    ? "; raise the limit of file sizes (ulimit -f)"
                             : error == ENOSPC ? "; make room there, or write to another place"
                             : error == EMFILE ? "; raise the limit of open files (ulimit -n)"
                             : error == EDQUOT ? "; make room in your quota, or write to another place"
                                               : "";
  return what + ": " + ::strerror_r(error, buffer, sizeof buffer) + advice;
}

std::string read_small_file(const char* path, std::size_t most) {
  const UniqueFd fd{::open(path, O_RDONLY | O_CLOEXEC)};
  std::string text;
  char buffer[4096];
  while (fd && text.size() < most) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  return text;
}

}  // namespace tracer
