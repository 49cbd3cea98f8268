// SPDX-License-Identifier: BSD-3-Clause
// A definition file, global or local: records one after the other.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "formats/otf2/common/byte_cursor.hpp"
#include "formats/otf2/common/file.hpp"

namespace tracer::otf2 {

class RecordFile {
 public:
  /// Reads the whole file. Throws tracer::Error.
  explicit RecordFile(std::filesystem::path file);
  RecordFile(RecordFile&&) = default;  // of a vector that is moved the bytes stay where they are
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  /// To the next record; false at the end mark. Throws tracer::Error when the file ends without.
  bool next();
  std::uint8_t kind() const noexcept { return kind_; }
  const ByteCursor& body() const noexcept { return body_; }
  const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }  ///< of the whole file

  [[noreturn]] void damaged(const char* what) const;

 private:
  std::filesystem::path file_;
  std::vector<std::uint8_t> bytes_;
  ByteCursor in_, body_;
  std::uint8_t kind_ = 0;
};

}  // namespace tracer::otf2
