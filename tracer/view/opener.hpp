// SPDX-License-Identifier: BSD-3-Clause
// The file that a browser is started with.
#pragma once

#include <filesystem>
#include <string_view>

#include "tracer/base/files/file.hpp"

namespace tracer::view {

/// A page in a directory of its own, which is this user's alone and locked as long as this lives. A viewer that is
/// killed leaves the directory; the next one finds the lock free, and removes it.
class Opener {
 public:
  /// Throws Error.
  Opener(const std::filesystem::path& among, std::string_view page);
  ~Opener();
  Opener(const Opener&) = delete;
  Opener& operator=(const Opener&) = delete;
  std::filesystem::path file() const;

 private:
  std::filesystem::path place_;
  UniqueFd lock_;
};

}  // namespace tracer::view
