// SPDX-License-Identifier: BSD-3-Clause
// What lies where in a job's directory: its parts, and how an archive that was made of them takes their place. Used
// under the lock of the job's directory, by one merger at a time.
#pragma once

#include <filesystem>
#include <vector>

namespace tracer {

bool has_archive(const std::filesystem::path& directory);
/// Who made the archive was killed before its anchor was written, or before all of the raw trace had gone, or is about
/// to do that.
bool is_unfinished(const std::filesystem::path& directory);

/// The traces that `path` means: the parts of a job's directory, or itself. Raw traces and archives. Not an archive of
/// the job while the parts that it was made of are kept.
std::vector<std::filesystem::path> traces_below(const std::filesystem::path& path);

/// The parts of a job that are not in the archive in its directory.
std::vector<std::filesystem::path> parts_to_join(const std::filesystem::path& job);

/// A raw trace that nobody records, beside an archive of other processes (earlier versions left that): it becomes a
/// part.
void set_other_raw_apart(const std::filesystem::path& job);
/// Makes the empty directory for the archive of these parts, JOB/merging. Throws tracer::Error.
void begin_archive(const std::filesystem::path& job, const std::vector<std::filesystem::path>& parts);
/// The parts are to stay when the archive takes its place: more are to come, and it will be made anew from all of them.
void keep_parts(const std::filesystem::path& job);
/// The part's samples are not in the archive that was begun: they stay when the part goes.
void keep_samples_of(const std::filesystem::path& merging, const std::filesystem::path& part);
/// The archive that was begun is whole: it takes its place, and what it was made of goes, unless it is kept.
void take_place(const std::filesystem::path& job);
/// An archive that could not be written to its end goes, and the directory where nothing else is in it.
void remove_begun(const std::filesystem::path& directory);
/// What a merger that was killed has left: goes on with it, or throws it away.
void finish_earlier(const std::filesystem::path& job);

}  // namespace tracer
