// SPDX-License-Identifier: BSD-3-Clause
// Looks into the rings that a dead process left, or that one goes on with.
#pragma once

#include <filesystem>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/file.hpp"

namespace tracer::raw {

/// A ring that has records: positions [from, to) at slots behind `offset`.
struct LeftRing {
  ChannelId channel;
  std::uint32_t os_thread_id;
  Ticks begin;
  std::uint64_t offset;    ///< of slot 0 in the file
  std::uint64_t capacity;  ///< records
  std::uint64_t from, to;
};

struct SpoolFile {
  UniqueFd fd;
  std::uint32_t process_id = 0;
  RunId run;
  bool locked = false;  ///< by the recording process, as long as it lives
  std::vector<LeftRing> rings;
  std::uint64_t skipped = 0;  ///< rings in a state in which no process leaves them
};

/// Opens `directory`/rings: a regular file of this user, not through a symbolic link. Throws tracer::Error.
SpoolFile open_spool(const std::filesystem::path& directory);

}  // namespace tracer::raw
