// SPDX-License-Identifier: BSD-3-Clause
// Files that stay right inside a program that closes descriptors, forks and runs out of disk.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/base/files/file_identity.hpp"

namespace tracer {

/// Owns a descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept;
  ~UniqueFd() { reset(); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset() noexcept;

 private:
  int fd_ = -1;
};

/// The same open file on a descriptor above those that programs count on, where the limit allows it.
UniqueFd moved_up(UniqueFd fd) noexcept;

/// Before an exec: makes the table of descriptors large enough for where moved_up() goes, which it stays. In a process
/// that has threads already Linux takes 10 to 30 ms for that, until each processor has passed through the scheduler.
/// `fd`: an open one with FD_CLOEXEC.
void make_room_for_descriptors(int fd) noexcept;

/// Writes all of `text` at the file's position, however little a call takes. False: not all; errno says why.
bool write_whole(int fd, std::string_view text) noexcept;

/// Keeps errno over a slow path that the program must not notice.
class KeepErrno {
 public:
  KeepErrno() noexcept;
  ~KeepErrno();
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int saved_;
};

/// A file of ours that is open for the whole run: private (0600), made new, never through a symbolic link, on a
/// descriptor above those that programs count on. Before each use the descriptor is checked to be still ours:
/// daemons close every descriptor, and the number may since belong to a file of the program.
class OwnFile {
 public:
  OwnFile() = default;
  /// Makes it at `at`, through a directory that is held open, and opens it again at `path`. Throws tracer::Error.
  static OwnFile create(const std::filesystem::path& at, const std::filesystem::path& path);
  static OwnFile create(const std::filesystem::path& path) { return create(path, path); }
  /// Makes room ahead (`bytes` beyond the end) so that the last words still fit on a full disk. False: there is none
  /// now. Best effort: true also where the file system cannot do it.
  bool reserve(std::uint64_t bytes) noexcept;
  /// All of it or nothing: after a failure the file is as long as before. 0, or the errno.
  int append(std::span<const std::span<const std::byte>> parts) noexcept;
  int append(std::span<const std::byte> part) noexcept;
  std::uint64_t size() const noexcept { return size_; }
  const std::filesystem::path& path() const noexcept { return path_; }
  /// The descriptor, verified or opened again; -1 with errno.
  int descriptor() noexcept;
  /// Closes the descriptor if it is still ours.
  void close() noexcept;
  explicit operator bool() const noexcept { return bool(identity_); }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  FileIdentity identity_;
  std::uint64_t size_ = 0;
};

/// mkdir with mode 0700; false when it is there already. Throws tracer::Error for any other failure.
bool make_private_directory(const std::filesystem::path& path);

/// Opens a file that it makes, with mode 0600 whatever the umask, through no link. No descriptor, with errno, where it
/// cannot; EEXIST where something has that name.
UniqueFd make_private_file(const char* path, int directory = AT_FDCWD) noexcept;

/// A file without a name in `directory`, or in memory, called `name` in /proc, where none can be made there. No
/// descriptor, with errno, where neither can.
UniqueFd make_file_without_name(const char* directory, const char* name) noexcept;

/// Where the file has data from `offset` on; `end` where there is only a hole until there, `offset` where nobody knows.
std::uint64_t data_from(int fd, std::uint64_t offset, std::uint64_t end) noexcept;

/// Whether something has this name, be it a link that leads nowhere.
bool is_there(const std::filesystem::path& path) noexcept;

/// 16 hexadecimal digits out of the kernel's generator.
std::string random_name();

/// "open /x/y: Permission denied", and what to do where a limit or a full disk is the reason.
std::string system_message(const std::string& what, int error);

/// Reads exactly `size` bytes at `offset`; false at the end of the file or on an error.
bool read_at(int fd, void* to, std::size_t size, std::uint64_t offset) noexcept;

/// The whole of a small file (of /proc and the like); "" when it cannot be read. At most `most` bytes.
std::string read_small_file(const char* path, std::size_t most = 1 << 20);

}  // namespace tracer
