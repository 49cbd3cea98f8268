// SPDX-License-Identifier: BSD-3-Clause
// Which archive a command is about, and the samples beside it.
#include "tracer/cli/archives/archive.hpp"

#include <ctime>
#include <system_error>

#include "formats/samples/samples.hpp"
#include "tracer/base/files/regular_file.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"

namespace tracer::cli {

namespace fs = std::filesystem;

std::string local_time_name() {
  char when[32] = "";
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (localtime_r(&now, &local) != nullptr) std::strftime(when, sizeof when, "%Y%m%d-%H%M%S", &local);
  return when;
}

std::string new_archive_name(const RunInfo& run) {
  return "./tracer-" + fs::path{run.program}.filename().string() + "-" + local_time_name() + "-" +
         std::to_string(run.process_id);
}

fs::path find_archive(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    const fs::path path{given};
    if (!is_found(path)) throw Error{given + " does not exist; name a trace's directory or its traces.otf2."};
    if (!fs::is_directory(path, error)) return path;
    if (is_found(path / "traces.otf2")) return path / "traces.otf2";
    if (fs::is_directory(path / "parts", error) && !fs::is_empty(path / "parts", error))
      throw Error{given + " is a job whose processes are not merged yet; to merge them: tracer merge " +
                  shell_word(given)};
    if (is_found(path / "raw"))
      throw Error{given + " holds a raw trace; build an archive first: tracer convert " + shell_word(given)};
    throw Error{given + " holds no traces.otf2, so it is no OTF2 archive."};
  }
  fs::path newest;
  fs::file_time_type when{};
  for (const auto& entry : fs::directory_iterator{".", error}) {
    if (!entry.path().filename().string().starts_with("tracer-")) continue;
    const fs::path anchor = entry.path() / "traces.otf2";
    const auto time = fs::last_write_time(anchor, error);
    if (!error && (newest.empty() || time > when)) {
      newest = anchor;
      when = time;
    }
    error.clear();
  }
  if (newest.empty())
    throw Error{"no trace given and no ./tracer-*/traces.otf2 here; record one: tracer run ./program"};
  return newest.lexically_normal();
}

void add_archive(Arguments& app, std::string& given) {
  app.add_option("archive", given, "The trace: its directory or traces.otf2 (default: the newest ./tracer-*)");
}

std::optional<fs::path> file_of_samples(const fs::path& anchor) {
  fs::path file = anchor.parent_path() / samples::file_name;
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  return file;
}

std::optional<samples::SampleSet> read_samples(const fs::path& anchor) {
  const std::optional<fs::path> file = file_of_samples(anchor);
  return file ? std::optional{samples::read(*file)} : std::nullopt;
}

}  // namespace tracer::cli
