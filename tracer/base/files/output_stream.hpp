// SPDX-License-Identifier: BSD-3-Clause
// A stream into a file that knows why it failed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <ostream>
#include <streambuf>

#include "tracer/base/files/file.hpp"

namespace tracer {

/// The first failure is kept: a stream that has failed writes no more, and what comes between that and its end sets
/// errno to something else.
class OutputStream final : public std::ostream {
 public:
  /// For names of Tracer's own in a directory that others may have filled: new_only fails where anything has the name,
  /// at_end where that is a link or a pipe.
  enum class Begin { anew, new_only, at_end };

  OutputStream();
  explicit OutputStream(const std::filesystem::path& path, Begin begin = Begin::anew);
  /// The descriptor stays the caller's.
  explicit OutputStream(int fd);
  ~OutputStream() override;

  void open(const std::filesystem::path& path, Begin begin = Begin::anew);
  /// 0, or errno: of open() or of a write. Also of what is still to be written, after a flush.
  int error() const noexcept { return buffer_.error; }
  /// Writes the rest; network file systems may report only here that there is no room. 0, or the errno of what failed
  /// first.
  int close();

 private:
  struct Buffer final : std::streambuf {
    static constexpr std::size_t bytes = 64 << 10;
    bool write() noexcept;
    int_type overflow(int_type next) override;
    int sync() override { return write() ? 0 : -1; }

    std::unique_ptr<char[]> text;
    UniqueFd own;
    int fd = -1;
    int error = 0;
  };

  Buffer buffer_;
};

}  // namespace tracer
