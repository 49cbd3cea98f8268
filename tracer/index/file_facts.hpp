// SPDX-License-Identifier: BSD-3-Clause
// What tells whether a file has been written since it was looked at.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

namespace tracer::index {

/// All 0: there is no such file.
struct FileFacts {
  std::uint64_t size = 0, seconds = 0, nanoseconds = 0;  ///< the time is that of the last write
  bool operator==(const FileFacts&) const = default;
};

inline FileFacts facts_of_file(const std::filesystem::path& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return {};
  return {static_cast<std::uint64_t>(info.st_size), static_cast<std::uint64_t>(info.st_mtim.tv_sec),
          static_cast<std::uint64_t>(info.st_mtim.tv_nsec)};
}

}  // namespace tracer::index
