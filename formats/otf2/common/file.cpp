// SPDX-License-Identifier: BSD-3-Clause
// See file.hpp.
#include "formats/otf2/common/file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "tracer/base/files/regular_file.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw Error("cannot read " + file.string() + ": " + why);
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
  std::size_t got = 0;
  while (got < bytes) {
    const auto n = ::pread(in.fd.get(), to + got, bytes - got, static_cast<off_t>(offset + got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(file, std::strerror(errno));
    if (n == 0) break;
    got += static_cast<std::size_t>(n);
  }
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
