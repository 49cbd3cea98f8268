// SPDX-License-Identifier: BSD-3-Clause
// The one way to open a file of a trace for reading: regular files only, and nothing is waited for. Where others can
// write, a FIFO may stand in the place of a file; opening it waits for a writer, and opening a device may act on it.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "tracer/base/files/file.hpp"

namespace tracer {

enum class Links : std::uint8_t { follow, refuse };

/// A regular file that is open, or why there is none.
struct RegularFile {
  UniqueFd fd;
  std::uint64_t size = 0;
  uid_t owner = 0;
  int error = 0;               ///< errno; EINVAL where it is no regular file
  const char* kind = nullptr;  ///< "a FIFO", ...: what stands in its place
  explicit operator bool() const noexcept { return static_cast<bool>(fd); }
  /// "cannot read PATH: it is a FIFO, not a regular file"
  std::string message(const std::filesystem::path& path) const;
};

/// `access`: O_RDONLY, or O_RDWR for what only locks it. errno is `error` when it cannot be opened.
RegularFile open_regular(const char* path, Links links, int access = O_RDONLY, int directory = AT_FDCWD) noexcept;

/// The same; throws tracer::Error with the message that names the file.
RegularFile open_to_read(const std::filesystem::path& path, Links links = Links::follow);

/// Reads a file from its beginning on, through a buffer. Throws tracer::Error as open_to_read() does.
class RegularInput {
 public:
  explicit RegularInput(const std::filesystem::path& path, Links links = Links::follow);
  /// Whether all of it was there.
  bool read(void* to, std::uint64_t bytes) noexcept;
  std::uint64_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream_;
  std::uint64_t size_ = 0;
};

/// Whether something is there, links followed. Throws tracer::Error where that cannot be determined: a directory that
/// may not be looked into, a link that leads to itself.
bool is_found(const std::filesystem::path& path);

/// Throws tracer::Error, with what is there instead, unless it is a directory or leads to one.
void require_directory(const std::filesystem::path& path);

/// The first `most` bytes; "" when there is no such regular file.
std::string read_regular(const std::filesystem::path& path, std::size_t most = 1 << 20);

}  // namespace tracer
