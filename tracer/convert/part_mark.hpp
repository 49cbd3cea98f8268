// SPDX-License-Identifier: BSD-3-Clause
// A mark beside an archive that is being made: what a converter that was killed left of it differs from an archive
// of somebody else, and removed by the next.
#pragma once

#include <filesystem>

#include "tracer/base/files/file.hpp"

namespace tracer {

/// The file `traces.part`, locked by whoever makes the archive; removed when that is whole, left where it is given up.
class PartMark {
 public:
  /// Before the archive is begun: what a killed converter left there goes. Throws tracer::Error where another process
  /// is making an archive.
  static void clear(const std::filesystem::path& directory);
  /// After the directory was claimed (formats/otf2/write/claim.hpp). Best effort: without a mark nothing is lost but
  /// this.
  explicit PartMark(const std::filesystem::path& directory);
  /// The archive is there.
  void whole();
  PartMark(const PartMark&) = delete;
  PartMark& operator=(const PartMark&) = delete;

 private:
  std::filesystem::path path_;
  UniqueFd file_;
};

}  // namespace tracer
