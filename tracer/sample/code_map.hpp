// SPDX-License-Identifier: BSD-3-Clause
// Names of code that interpreters and compilers make while the program runs: they write them into /tmp/perf-PID.map,
// "begin size name" a line, for the kernel's perf; or they have a list for debuggers (jit_names.hpp). It is copied
// beside the samples while it grows, so that it is there when the process was killed, or another process has its
// number.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/base/files/file.hpp"
#include "tracer/sample/jit_names.hpp"
#include "tracer/sample/trampolines.hpp"

namespace tracer::sample {

/// Used by one thread at a time, never by one of the program's.
class CodeMap {
 public:
  /// The copy is made when there is something to copy, as OwnFile::create() does.
  void begin(std::filesystem::path at, std::filesystem::path path);
  /// Copies what is new; at first what the processes wrote from which this one was forked. A map of another user, that
  /// is no regular file, or too large is left; why is in take_message(). May throw: then it is to be closed.
  void copy();
  /// Nothing is copied from now on.
  void close() noexcept {
    is_over_ = true;
    file_.close();
  }
  /// For the user, once; "" nothing.
  std::string take_message() noexcept { return std::exchange(message_, {}); }

 private:
  void copy_map_of(pid_t process, std::uint64_t start);
  void copy_from(int fd, std::uint64_t size);
  bool keep(std::string_view lines);
  void give_up(std::string why) noexcept;

  std::filesystem::path at_, path_;
  OwnFile file_;
  Trampolines trampolines_;
  JitNames jit_names_;
  std::string rest_;  ///< of a line whose end is not there yet
  std::string message_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t copied_ = 0;  ///< of the file as it is now
  std::uint64_t start_ = 0;   ///< of this process, in ns since the epoch
  bool is_over_ = false;
};

}  // namespace tracer::sample
