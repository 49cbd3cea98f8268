// SPDX-License-Identifier: BSD-3-Clause
// Whole files and parts of them, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "tracer/base/files/file.hpp"

namespace tracer::otf2 {

/// nullopt: no such file. Throws tracer::Error when it is not a regular file that can be read.
std::optional<std::uint64_t> size_of_file(const std::filesystem::path& file);

/// At most `bytes` from `offset` on into `to`; fewer only at the file's end. Throws tracer::Error.
std::size_t read_at(const std::filesystem::path& file, std::uint64_t offset, std::uint8_t* to, std::size_t bytes);

/// Whether files that are read in parts stay open from one part to the next, as long as that leaves 256 descriptors to
/// the process. From the start they do not: a traced program closes what it does not know.
void keep_files_open(bool keep) noexcept;

/// A file that is read in parts.
class FileInParts {
 public:
  explicit FileInParts(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const noexcept { return path_; }
  /// As read_at() does.
  std::size_t read(std::uint64_t offset, std::uint8_t* to, std::size_t bytes);
  /// Until it is read again.
  void close() noexcept { kept_.reset(); }

 private:
  std::filesystem::path path_;
  UniqueFd kept_;
};

/// Throws tracer::Error, also when the file is larger than `limit`.
std::vector<std::uint8_t> read_whole(const std::filesystem::path& file, std::uint64_t limit);

}  // namespace tracer::otf2
