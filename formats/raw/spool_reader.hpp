// SPDX-License-Identifier: BSD-3-Clause
// Looks into the rings that a dead process left.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/base/file.hpp"

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
  std::vector<LeftRing> rings;
};

/// Opens `directory`/rings: a regular file of this user, not through a symbolic link. Throws tracer::Error.
SpoolFile open_spool(const std::filesystem::path& directory);

/// A directory of rings that a run left behind, or is using.
struct Leftover {
  std::filesystem::path spool;
  std::filesystem::path archive;  ///< where its raw trace is, "" unknown
  std::string launch;             ///< the launcher's mark (TRACER_LAUNCH) of that run, "" none
  std::uint32_t process_id = 0;
  bool alive = false;       ///< the process is still there
  std::uint64_t bytes = 0;  ///< of memory or disk
};

/// All of this user's below `root` (/dev/shm, or TRACER_SPOOL).
std::vector<Leftover> find_leftovers(const std::filesystem::path& root);

/// Removes `rings` and `owner`, then the directory. False when it is not one of this user's spools.
bool remove_spool(const std::filesystem::path& directory) noexcept;

/// The same, when the raw trace in `raw_directory` is the one that the rings were made for, or that one is gone:
/// whoever converts a copy leaves them to the original.
void remove_spool_of(const std::filesystem::path& raw_directory, const std::filesystem::path& spool) noexcept;

/// Whether the process with this id still runs and maps the spool's rings: its number may have gone to another.
bool process_is_alive(const std::filesystem::path& spool, std::uint32_t process_id) noexcept;

/// Removes a raw trace's own files and, when nothing else is in it, their directory.
void remove_raw_trace(const std::filesystem::path& directory) noexcept;

}  // namespace tracer::raw
