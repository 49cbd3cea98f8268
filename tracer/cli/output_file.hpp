// SPDX-License-Identifier: BSD-3-Clause
// Files that commands write: beside their name until they are whole, so that what has the name is never a half one.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <string>

namespace tracer::cli {

/// Takes the place of `wanted` when keep() is called; what was there is replaced then, not before. Removed otherwise,
/// also when the user interrupts the command. One at a time.
class PendingOutput {
 public:
  explicit PendingOutput(std::filesystem::path wanted);
  ~PendingOutput();
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  /// Where to write: in the same directory, a file or (made by the caller) a directory.
  const std::filesystem::path& path() const { return pending_; }
  /// Throws tracer::Error.
  void keep();

 private:
  std::filesystem::path wanted_, pending_;
  bool kept_ = false;
};

/// Runs `write` on a file of that name, or on standard output for "" and "-". What is no regular file (a pipe, a
/// device) is written to as it is. Throws tracer::Error.
void write_output(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace tracer::cli
