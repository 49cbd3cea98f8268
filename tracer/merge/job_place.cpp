// SPDX-License-Identifier: BSD-3-Clause
// See job_place.hpp.
//
// A job's own archive is made in steps, so that whoever is killed in between leaves what the next one can go on with:
//   1. JOB/merging is filled: event files are links, nothing of the parts changes. `merging/joined` names the parts in
//      it, one a line.
//   2. It is read back: it is whole. Killed until here: it is thrown away, since JOB may have another archive by then.
//   3. The parts go into merging/parts one by one, an archive in JOB itself as well; then the new one takes its place,
//      its anchor last. Killed here: the next one goes on.
//   4. merging, with the parts, is removed.
//
// While ranks are missing the parts stay, as links to the same event files: `merging/joined` becomes JOB/parts/.joined
// before step 3, which records that the archive in JOB is made of them and no part itself. The next merge makes another
// one from all parts, and the archive in JOB, should it be one itself, is kept as the part `first`.
#include "tracer/merge/job_place.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "formats/otf2/read/reader.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/output_stream.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer {
namespace fs = std::filesystem;
namespace {

constexpr const char* archive_files[] = {"traces", "traces.def", samples::file_name, "traces.otf2"};  // the anchor last
constexpr const char* own_part = "first";
constexpr const char* samples_left = "samples-left";  // in merging: parts whose samples are not in the archive

/// Its writer makes the file before it fills it: who is killed in between leaves an empty one.
bool has_whole_anchor(const fs::path& directory) {
  try {
    otf2::read_anchor(directory);
    return true;
  } catch (const Error&) {
    return false;
  }
}
bool has_raw(const fs::path& directory) {
  return is_there(directory / "raw" / "journal");
}

void move(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT)
    throw Error(system_message("cannot move " + from.string() + " to " + to.string(), errno));
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::istringstream in(read_regular(file, 64u << 20));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && line.find('/') == line.npos && !line.starts_with(".")) lines.push_back(line);
  return lines;
}

fs::path kept_list(const fs::path& job) {
  return job / "parts" / ".joined";
}
/// The archive in JOB is made of parts that are all still there.
bool parts_are_kept(const fs::path& job) {
  const auto joined = lines_of(kept_list(job));
  return !joined.empty() && std::all_of(joined.begin(), joined.end(),
                                        [&](const std::string& name) { return is_there(job / "parts" / name); });
}

/// A job's directories are real ones. Who filled JOB before may have put links in their places: what those lead to is
/// neither moved nor removed.
void require_real(const fs::path& directory) {
  if (!is_own_directory(directory))
    throw Error(directory.string() + " is no directory of this user's, as a job's is; move it away");
}

/// A part whose archive is joined: that goes, and its samples, if the whole has any. What else it has (a raw trace that
/// is to stay) is kept, in its old place.
void remove_joined(const fs::path& part, const fs::path& parts, bool has_samples) {
  std::error_code error;
  fs::remove_all(part / "traces", error);
  if (has_samples) ::unlink((part / samples::file_name).c_str());
  for (const char* file : {"traces.otf2", "traces.def"}) ::unlink((part / file).c_str());
  ::rmdir((part / "raw").c_str());
  if (::rmdir(part.c_str()) == 0 || errno == ENOENT) return;
  make_readable_directory(parts);
  move(part, parts / part.filename());
}

/// The archive in JOB goes, its anchor first, as far as there is another to take its place and none at `to`.
void move_own(const fs::path& job, const fs::path& to) {
  make_readable_directory(to);
  require_real(to);
  for (const char* file : {"traces.otf2", "traces.def", samples::file_name, "traces"})
    if (is_there(job / file) && is_there(job / "merging" / file) && !is_there(to / file)) move(job / file, to / file);
}

}  // namespace

bool has_archive(const fs::path& directory) {
  return is_there(directory / "traces.otf2");
}

bool is_unfinished(const fs::path& directory) {
  return has_archive(directory) && has_raw(directory) &&
         (!has_whole_anchor(directory) || !raw::is_kept(directory / "raw"));
}

std::vector<fs::path> traces_below(const fs::path& path) {
  std::vector<fs::path> traces;
  const fs::path place = path.filename().empty() ? path.parent_path() : path;
  if ((has_archive(place) && !parts_are_kept(place)) || has_raw(place)) traces.push_back(place);
  for (const fs::path& part : parts_of_job(place))
    if (has_archive(part) || (has_raw(part) && !(has_archive(place) && raw::is_kept(part / "raw"))))
      traces.push_back(part);
  if (traces.empty() && is_there(place / "journal") && place.filename() == "raw") traces.push_back(place.parent_path());
  return traces;
}

std::vector<fs::path> parts_to_join(const fs::path& job) {
  std::vector<std::string> joined;
  if (parts_are_kept(job)) joined = lines_of(kept_list(job));
  std::vector<fs::path> parts = traces_below(job);
  std::erase_if(parts, [&](const fs::path& part) {
    return part.parent_path().filename() != "parts" ||
           std::find(joined.begin(), joined.end(), part.filename().string()) != joined.end();
  });
  return parts;
}

void set_other_raw_apart(const fs::path& job) {
  if (!is_unfinished(job) || !holds_other_archive(job)) return;
  move(job / "raw", make_part_directory(job, {}, "raw") / "raw");
}

void remove_begun(const fs::path& directory) {
  std::error_code error;
  for (const char* file : archive_files) fs::remove_all(directory / file, error);
  ::rmdir(directory.c_str());
}

void begin_archive(const fs::path& job, const std::vector<fs::path>& parts) {
  const fs::path merging = job / "merging";
  if (!make_private_directory(merging)) throw Error(merging.string() + " is there, and cannot be removed");
  OutputStream list(merging / "joined", OutputStream::Begin::new_only);
  for (const fs::path& part : parts) list << (part == job ? own_part : part.filename().string()) << '\n';
  if (const int why = list.close()) throw Error(system_message("cannot write " + (merging / "joined").string(), why));
}

void keep_parts(const fs::path& job) {
  make_readable_directory(job / "parts");
  move(job / "merging" / "joined", kept_list(job));
}

void keep_samples_of(const fs::path& merging, const fs::path& part) {
  if (!is_there(merging / "joined")) return;  // no job's: parts stay as they are
  OutputStream list(merging / samples_left, OutputStream::Begin::at_end);
  list << (part == merging.parent_path() ? own_part : part.filename().string()) << '\n';
  if (const int why = list.close())
    throw Error(system_message("cannot write " + (merging / samples_left).string(), why));
}

void take_place(const fs::path& job) {
  const fs::path merging = job / "merging", parts = job / "parts";
  if (is_there(merging / "traces.otf2")) {
    const auto joined = lines_of(merging / "joined"), kept = lines_of(kept_list(job));
    make_private_directory(merging / "parts");
    for (const std::string& name : joined)
      if (is_there(parts / name)) move(parts / name, merging / "parts" / name);
    if (!joined.empty()) ::unlink(kept_list(job).c_str());
    const bool keeps_own = joined.empty() && std::find(kept.begin(), kept.end(), own_part) != kept.end();
    const fs::path own = (keeps_own ? parts : merging / "parts") / own_part;
    if (keeps_own) move_own(job, own);
    move_own(job, merging / "parts" / "replaced");
    make_private_directory(own);
    for (const char* file : archive_files)
      if (is_there(merging / file)) move(merging / file, job / file);
  }
  const bool has_samples = is_there(job / samples::file_name);
  std::error_code error;
  std::vector<fs::path> joined;
  for (fs::directory_iterator it{merging / "parts", error}, end; !error && it != end; it.increment(error))
    if (is_own_directory(it->path())) joined.push_back(it->path());
  const auto left = lines_of(merging / samples_left);
  for (const fs::path& part : joined)
    remove_joined(part, job / "parts",
                  has_samples && std::find(left.begin(), left.end(), part.filename().string()) == left.end());
  fs::remove_all(merging, error);
  for (const char* emptied : {"parts", "raw"}) ::rmdir((job / emptied).c_str());
}

void finish_earlier(const fs::path& job) {
  const fs::path merging = job / "merging", parts = job / "parts";
  std::error_code error;
  if (is_there(parts)) require_real(parts);
  if (is_own_directory(merging) && is_own_directory(merging / "parts")) {
    take_place(job);
  } else {
    fs::remove_all(merging, error);
  }
}

}  // namespace tracer
