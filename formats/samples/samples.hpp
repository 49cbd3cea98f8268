// SPDX-License-Identifier: BSD-3-Clause
// The samples of a trace, with their call stacks in words: a file beside the archive (docs/formats/samples.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/samples.hpp"

namespace tracer::samples {

/// The file's name in the archive's directory.
inline constexpr const char* file_name = "samples.bin";

/// Where it is written until it is whole.
std::filesystem::path unfinished(const std::filesystem::path& path);
/// Writes beside the name and renames at the end. Throws tracer::Error.
void write(const SampleSet& set, const std::filesystem::path& path);
/// Throws tracer::Error for a file that is none of ours, is damaged, or claims more than it holds.
SampleSet read(const std::filesystem::path& path);

/// A file whose samples are read where they are asked for. Any thread, several at a time.
class SampleFile {
 public:
  /// Throws as read() does.
  explicit SampleFile(const std::filesystem::path& path);
  /// All but the samples, the pauses and the values of counters.
  const SampleSet& words() const noexcept { return words_; }
  std::uint64_t size() const noexcept { return size_; }
  /// Samples by their numbers, up to `last`, which is without. Their stacks may be none of words(). Throws
  /// tracer::Error where the file has changed.
  std::vector<Sample> range(std::uint64_t first, std::uint64_t last) const;

 private:
  std::uint64_t bytes_of_sample() const noexcept;
  [[noreturn]] void changed() const;

  std::string name_;
  UniqueFd file_;
  SampleSet words_;
  bool has_states_ = false;
  std::uint64_t offset_ = 0, size_ = 0;  ///< of the samples
};

}  // namespace tracer::samples
