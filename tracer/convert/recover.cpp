// SPDX-License-Identifier: BSD-3-Clause
// See recover.hpp.
#include "tracer/convert/recover.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "formats/otf2/read/reader.hpp"
#include "formats/raw/claim.hpp"
#include "formats/raw/layout.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/property_names.hpp"

namespace tracer {
namespace {

namespace fs = std::filesystem;

/// "0.evt", "17.def"
bool is_location_file(const std::string& name) {
  const auto dot = name.find('.');
  if (dot == 0 || dot == name.npos || name.find_first_not_of("0123456789") != dot) return false;
  return name.substr(dot) == ".evt" || name.substr(dot) == ".def";
}

/// The anchor is written last: with it an archive is whole, but for one that was just being written.
bool has_whole_archive(const fs::path& directory) {
  struct stat info {};
  const fs::path anchor = directory / "traces.otf2";
  if (::lstat(anchor.c_str(), &info) != 0) return false;
  try {
    otf2::Trace::open(anchor);
    return true;
  } catch (const Error&) {
    return false;
  }
}

void remove_broken_anchor(const fs::path& directory) {
  struct stat info {};
  const fs::path anchor = directory / "traces.otf2";
  if (::lstat(anchor.c_str(), &info) == 0 && S_ISREG(info.st_mode)) ::unlink(anchor.c_str());
}

/// There is an archive that was not made of this process' raw trace: its events may be nowhere else. The archive of
/// several processes has no property of one.
bool is_of_other(const fs::path& directory, const RunInfo& run) {
  try {
    const otf2::ArchiveInfo archive = otf2::read_anchor(directory / "traces.otf2");
    const std::string *process = archive.property(properties::process_id), *host = archive.property(properties::host);
    return process == nullptr || *process != std::to_string(run.process_id) || (host != nullptr && *host != run.host);
  } catch (const Error&) {
    return false;
  }
}

/// The trace is kept (damaged, or the user wants it): its rings go beside it, out of memory and into one place.
void keep_rings(const fs::path& spool, const fs::path& raw_directory) {
  std::error_code error;
  if (spool == raw_directory) return;
  fs::copy_file(spool / "rings", raw_directory / "rings", fs::copy_options::skip_existing, error);
  if (!error) raw::remove_spool_of(raw_directory, spool);
}

}  // namespace

bool is_unbegun(const fs::path& raw_directory) {
  const auto holds = [&](const char* name) {
    const auto file = open_regular((raw_directory / name).c_str(), Links::follow);
    return file.error != ENOENT && (!file || file.size > sizeof(raw::FileHeader));
  };
  return !holds("journal") && !holds("trace");
}

void remove_half_archive(const fs::path& directory) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(directory / "traces.otf2", error))) return;
  const UniqueFd here{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!here) return;
  ::unlinkat(here.get(), "traces.def", 0);
  ::unlinkat(here.get(), samples::unfinished(samples::file_name).c_str(), 0);
  UniqueFd inside{::openat(here.get(), "traces", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  DIR* listing = inside ? ::fdopendir(inside.get()) : nullptr;
  if (!listing) return;
  const int fd = inside.release();
  while (const dirent* entry = ::readdir(listing)) {
    if (is_location_file(entry->d_name)) ::unlinkat(fd, entry->d_name, 0);
  }
  ::closedir(listing);
  ::unlinkat(here.get(), "traces", AT_REMOVEDIR);
}

bool holds_other_archive(const fs::path& directory) noexcept {
  try {
    const fs::path raw_directory = directory / "raw";
    return !raw::is_done(raw_directory) && is_of_other(directory, raw::open_trace(raw_directory)->journal().run);
  } catch (...) {
    return false;
  }
}

bool is_being_recorded(const raw::RawTrace& trace) {
  return trace.report().being_recorded;
}

bool is_being_recorded(const fs::path& path) noexcept {
  try {
    const fs::path raw_directory = raw::raw_directory_of(path);
    return raw::is_locked_by_recorder(raw_directory) || is_being_recorded(*raw::open_trace(raw_directory));
  } catch (...) {
    return false;
  }
}

std::vector<fs::path> spool_roots() {
  std::vector<fs::path> roots{"/dev/shm"};
  const char* chosen = std::getenv("TRACER_SPOOL");
  if (chosen && chosen[0] == '/' && roots.front() != chosen) roots.emplace_back(chosen);
  return roots;
}

namespace {

fs::path spool_of(const fs::path& raw_directory) {
  try {
    return raw::open_trace(raw_directory)->report().spool;
  } catch (const Error&) {
    return {};
  }
}

/// The archive is whole, and all else: what a converter that was killed had not yet removed goes.
RecoverResult was_complete(const fs::path& directory, const fs::path& raw_directory) {
  std::error_code error;
  if (!fs::exists(raw_directory / "trace", error)) raw::remove_raw_trace(raw_directory, spool_of(raw_directory));
  RecoverResult result;
  result.archive.archive = directory / "traces.otf2";
  result.archive.raw_kept = fs::exists(raw_directory, error);
  result.archive.was_complete = true;
  return result;
}

bool has_raw_trace(const fs::path& path) {
  std::error_code error;
  return fs::exists(path / "journal", error) || fs::exists(path / "raw" / "journal", error);
}

}  // namespace

RecoverResult recover(const fs::path& path, const ConvertOptions& options) {
  if (!has_raw_trace(path)) {
    const fs::path around = path.filename() == "raw" ? path.parent_path() : path;
    if (has_whole_archive(around)) return was_complete(around, around / "raw");
  }
  const fs::path raw_directory = fs::absolute(raw::raw_directory_of(path)).lexically_normal();
  const fs::path directory = raw_directory.filename() == "raw" ? raw_directory.parent_path() : raw_directory;
  raw::Claim claim;
  const raw::Claimed claimed = claim.take(raw_directory, options.waiting);
  // While another process writes the archive nobody but that one may judge it.
  if (claimed != raw::Claimed::recorded && has_whole_archive(directory) && raw::is_done(raw_directory))
    return was_complete(directory, raw_directory);
  if (claimed == raw::Claimed::gone)
    throw Error(raw_directory.string() + " was converted or removed by another process meanwhile");
  if (claimed != raw::Claimed::recorded && is_unbegun(raw_directory)) {
    raw::remove_raw_trace(raw_directory);
    throw NothingRecorded(directory);
  }
  RecoverResult result;
  {
    const auto trace = raw::open_trace(raw_directory);
    result.found = trace->report();
    result.process_ended_by_itself = trace->journal().ending != Ending::unknown;
    if (is_being_recorded(*trace)) {
      throw Error("process " + std::to_string(trace->journal().run.process_id) + " (" + trace->journal().run.program +
                  ") is still running and recording");
    }
    if (is_of_other(directory, trace->journal().run))
      throw Error("the archive in " + directory.string() +
                  " is not of the raw trace beside it; one archive of both: tracer merge " +
                  shell_word(directory.string()));
    if (trace->journal().channels.empty()) {
      if (!result.found.damage.empty())
        throw Error("nothing of the run of " + directory.string() +
                    " can be recovered: " + result.found.damage.front());
      raw::remove_raw_trace(raw_directory, result.found.spool);
      throw NothingRecorded(directory);
    }
  }
  remove_broken_anchor(directory);
  remove_half_archive(directory);
  result.archive = convert_claimed(raw_directory, directory, options);
  if (result.found.spool.empty()) return result;
  if (result.archive.raw_kept) keep_rings(result.found.spool, raw_directory);
  return result;
}

}  // namespace tracer
