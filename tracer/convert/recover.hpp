// SPDX-License-Identifier: BSD-3-Clause
// An archive out of what a dead run left: raw segments on disk, rings in shared memory, the journal's beginning.
#pragma once

#include "formats/raw/reader.hpp"
#include "tracer/convert/convert.hpp"

namespace tracer {

/// Of a run that ended before anything was recorded there is no archive to make; what was left of it is removed.
class NothingRecorded : public Error {
 public:
  /// `directory`: the archive's.
  explicit NothingRecorded(const std::filesystem::path& directory)
      : Error("the run of " + directory.string() + " ended before anything was recorded: there is no archive to make") {
  }
};

struct RecoverResult {
  ConvertResult archive;
  raw::OpenReport found;
  bool process_ended_by_itself = false;  ///< the run was complete; only the conversion had been missing
};

/// `path`: the archive's directory or the raw trace in it. Removes a half-written archive, converts, and removes the
/// rings once the archive is complete. A complete archive is left as it is, and a raw trace that was being removed when
/// its converter was killed goes. While another process makes the archive it waits for that. Throws tracer::Error when
/// the process still runs, when the archive is one of other processes, and when nothing can be read; nothing is then
/// changed. NothingRecorded after that is removed.
RecoverResult recover(const std::filesystem::path& path, const ConvertOptions& options = {});

/// convert(), when the caller has claimed the raw trace (formats/raw/claim.hpp) in this directory.
ConvertResult convert_claimed(const std::filesystem::path& raw_directory, const std::filesystem::path& directory,
                              const ConvertOptions& options);

/// Removes `traces.def` and `traces/*` where a conversion did not come to its end (no `traces.otf2`); nothing else, and
/// not through symbolic links. `convert` wants the place free.
void remove_half_archive(const std::filesystem::path& directory);

/// Whether the archive in the directory is not one that was made of the raw trace beside it. False where one of both
/// cannot be read.
bool holds_other_archive(const std::filesystem::path& directory) noexcept;

/// Whether the raw trace is that of a process that still records. False also when there is none.
bool is_being_recorded(const std::filesystem::path& path) noexcept;
bool is_being_recorded(const raw::RawTrace& trace);

/// Leftover rings below /dev/shm and TRACER_SPOOL, of this user's runs.
std::vector<std::filesystem::path> spool_roots();

/// The process was killed before it had written more than the beginnings of its files: nothing can be read. Also true
/// of a directory without them.
bool is_unbegun(const std::filesystem::path& raw_directory);

}  // namespace tracer
