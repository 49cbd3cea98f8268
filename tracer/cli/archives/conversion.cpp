// SPDX-License-Identifier: BSD-3-Clause
// Finds raw traces and makes archives of them.
#include "tracer/cli/archives/conversion.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/base/files/own_directory.hpp"
#include "tracer/base/files/pending_output.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/cli/options/settings.hpp"
#include "tracer/cli/output/terminal.hpp"
#include "tracer/convert/recover.hpp"
#include "tracer/error.hpp"
#include "tracer/job/output_pattern.hpp"
#include "tracer/merge/job_place.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;

void print_waiting(const fs::path& directory) {
  print_note("another process is building the archive in " + directory.string() + "; waiting for it");
}

std::string why_not_merged(const fs::path& job, const std::string& why) {
  return "the parts of the job in " + job.string() + " are not merged" + why + "; to merge them: tracer merge " +
         shell_word(job.string());
}

void print_rest_of_job(const fs::path& directory) {
  const auto parts = parts_to_join(directory);
  if (!parts.empty())
    print_note(format_counted(parts.size(), "more process") +
               " of this job left a trace beside it; one archive of all: tracer merge " +
               shell_word(directory.string()));
}

namespace {

/// Beside its raw trace there is an archive, which lacks what is made after its anchor: its converter was killed, or
/// had no room for the samples.
bool is_half_done(const fs::path& raw, const fs::path& directory) {
  const fs::path inside = is_there(directory / "raw" / "journal") ? directory / "raw" : directory;
  std::error_code error;
  return is_there(directory / "traces.otf2") && is_there(inside / "journal") && !raw::is_done(inside) &&
         (fs::equivalent(raw, directory, error) || fs::equivalent(raw, inside, error));
}

}  // namespace

ConvertResult convert_or_recover(const fs::path& raw, const fs::path& directory, const ConvertOptions& options) {
  const bool in_place = directory == raw;
  if (is_half_done(raw, directory)) return recover(raw, options).archive;
  if (!in_place || (!is_unbegun(raw / "raw") && raw::open_trace(raw)->report().complete))
    return convert(raw, directory, options);
  return recover(raw, options).archive;
}

std::function<void(double)> conversion_bar() {
  return [bar = std::make_shared<std::optional<Progress>>()](double share) {
    if (share >= 1) return bar->reset();
    if (!bar->has_value()) bar->emplace("converting");
    (*bar)->update(share);
  };
}

ConvertResult convert_with_progress(const fs::path& raw, const fs::path& directory, ConvertOptions options) {
  Progress progress{"converting"};
  options.progress = [&](double share) { progress.update(share); };
  options.waiting = [&] { print_waiting(directory); };
  return convert_or_recover(raw, directory, options);
}

namespace {

ConvertOptions conversion_by(const Config& config) {
  ConvertOptions options;
  options.threads = config.threads;
  options.keep_raw = config.keep_raw;
  return options;
}

}  // namespace

Config own_settings() {
  Config config = read_config(environ);
  for (const std::string& complaint : config.complaints) print_note("warning: " + complaint);
  return config;
}

ConvertOptions conversion_of_run(const std::vector<std::string>& settings) {
  return conversion_by(program_settings(settings));
}

ConvertOptions own_conversion() {
  return conversion_by(own_settings());
}

void add_threads(Arguments& app, unsigned& threads, const std::string& what_for) {
  app.add_option("-j,--threads", threads,
                 "Threads used to " + what_for + "; 0: as many as this process may use, at most 8 (TRACER_THREADS)")
      ->check(in_range(0u, max_threads_setting));
}

std::string wanted_output(const std::string& given) {
  if (!given.empty()) return given;
  const char* setting = std::getenv("TRACER_OUTPUT");
  return setting != nullptr && *setting != '\0' ? setting : default_output;
}

fs::path newest_raw_trace() {
  fs::path newest;
  fs::file_time_type when{};
  std::error_code error;
  for (fs::directory_iterator it{".", error}, end; !error && it != end; it.increment(error)) {
    if (!it->path().filename().string().starts_with("tracer-") || !is_own_directory(it->path())) continue;
    std::error_code none;
    const auto written = fs::last_write_time(it->path() / "raw", none);
    if (none || (!newest.empty() && written <= when)) continue;
    newest = it->path().lexically_normal();
    when = written;
  }
  return newest;
}

bool is_own_place(const fs::path& directory) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return errno == ENOENT;
  return info.st_uid == ::geteuid() && (info.st_mode & S_IWOTH) == 0;
}

void require_own_place(const fs::path& directory, const std::string& what_else) {
  const fs::path place = directory.empty() ? fs::path{"."} : directory;
  if (!is_found(place)) return;
  require_directory(place);
  if (!is_own_place(place))
    throw Error{place.string() + " is writable by other users, so Tracer does not write there; " + what_else};
}

void require_place_for_archive(const fs::path& directory) {
  if (!directory.empty()) {
    require_new_directory(directory);
    require_own_place(directory, "name a directory of yours by --output.");
  }
  std::error_code error;
  fs::path found = directory;
  while (found.has_relative_path() && !fs::exists(found, error)) found = found.parent_path();
  const fs::path in = found.empty() ? fs::path{"."} : found;
  if (::faccessat(AT_FDCWD, (in / ".").c_str(), W_OK | X_OK, AT_EACCESS) == 0) return;
  throw Error{system_message("cannot write " + (directory.empty() ? in : directory).string(), errno) +
              "; name another directory by --output."};
}

}  // namespace tracer::cli
