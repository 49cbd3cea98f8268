// SPDX-License-Identifier: BSD-3-Clause
// See file.hpp.
#include "formats/otf2/common/file.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

constinit std::atomic<bool> keeps_files_open{false};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw Error("cannot read " + file.string() + ": " + why);
}

/// A new descriptor is the lowest that is free: its number says how many others there are.
bool leaves_enough(int fd) noexcept {
  constexpr rlim_t enough = 256;
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && static_cast<rlim_t>(fd) + enough < limit.rlim_cur;
}

std::size_t read_from(int fd, const std::filesystem::path& file, std::uint64_t offset, std::uint8_t* to,
                      std::size_t bytes) {
  std::size_t got = 0;
  while (got < bytes) {
    const auto n = ::pread(fd, to + got, bytes - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(file, std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

}  // namespace

std::optional<std::uint64_t> size_of_file(const std::filesystem::path& file) {
  struct stat s {};
  if (::stat(file.c_str(), &s) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
    fail(file, std::strerror(errno));
  }
  if (!S_ISREG(s.st_mode)) open_to_read(file);  // reports what it is
  return static_cast<std::uint64_t>(s.st_size);
}

std::size_t read_at(const std::filesystem::path& file, std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  const RegularFile in = open_to_read(file);
  return read_from(in.fd.get(), file, offset, to, bytes);
}

void keep_files_open(bool keep) noexcept {
  keeps_files_open.store(keep, std::memory_order_relaxed);
}

std::size_t FileInParts::read(std::uint64_t offset, std::uint8_t* to, std::size_t bytes) {
  if (kept_) return read_from(kept_.get(), path_, offset, to, bytes);
  RegularFile in = open_to_read(path_);
  const std::size_t got = read_from(in.fd.get(), path_, offset, to, bytes);
  if (keeps_files_open.load(std::memory_order_relaxed) && leaves_enough(in.fd.get())) kept_ = std::move(in.fd);
  return got;
}

std::vector<std::uint8_t> read_whole(const std::filesystem::path& file, std::uint64_t limit) {
  const auto size = size_of_file(file);
  if (!size) fail(file, "there is no such file");
  if (*size > limit) fail(file, "larger than " + std::to_string(limit) + " bytes");
  std::vector<std::uint8_t> bytes(*size);
  bytes.resize(read_at(file, 0, bytes.data(), bytes.size()));
  return bytes;
}

}  // namespace tracer::otf2
