// SPDX-License-Identifier: BSD-3-Clause
// What runs left on the machine: directories of rings and raw traces, whose they are, and their removal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tracer::raw {

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

/// Removes `rings`, `owner` and the mark, then the directory. False when it is not one of this user's spools, or in
/// use.
bool remove_spool(const std::filesystem::path& directory) noexcept;

/// Whether a message to the user has named these rings, which no process uses. Best effort.
bool is_reported(const std::filesystem::path& spool) noexcept;
void mark_reported(const std::filesystem::path& spool) noexcept;

/// The same, when the raw trace in `raw_directory` is the one that the rings were made for, or that one is gone:
/// whoever converts a copy leaves them to the original.
void remove_spool_of(const std::filesystem::path& raw_directory, const std::filesystem::path& spool) noexcept;

/// Whether a process records into the rings of `spool`.
bool is_recorded_into(const std::filesystem::path& spool) noexcept;

/// Whether a process of this id maps the rings: for those that could not be locked.
bool process_is_alive(const std::filesystem::path& spool, std::uint32_t process_id) noexcept;

/// Removes a raw trace's own files and, when nothing else is in it, their directory, and its rings in `spool` (""
/// none). What is killed in the middle of that leaves one that is_done().
void remove_raw_trace(const std::filesystem::path& directory, const std::filesystem::path& spool = {}) noexcept;

/// A file of its own marks a raw trace that is to stay beside its archive: `keep`, before there is an archive.
void mark_kept(const std::filesystem::path& directory, bool keep) noexcept;
bool is_kept(const std::filesystem::path& directory) noexcept;
/// Beside a whole archive: whether nobody need convert it again. Else a converter was killed when the archive had been
/// made, and before all else (samples) was.
bool is_done(const std::filesystem::path& directory) noexcept;

}  // namespace tracer::raw
