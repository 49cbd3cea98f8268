// SPDX-License-Identifier: BSD-3-Clause
// Names and makes the archive's directory; what exists and is not empty is never used.
#include "tracer/session/output_directory.hpp"

#include <unistd.h>
#include <chrono>
#include <optional>
#include <system_error>
#include <utility>

#include "tracer/base/files/file.hpp"
#include "tracer/base/files/permissions.hpp"
#include "tracer/base/launch_notes.hpp"
#include "tracer/error.hpp"
#include "tracer/job/job_directory.hpp"
#include "tracer/job/output_pattern.hpp"

namespace tracer {
namespace {

/// Its `raw` is made exclusively and decides between processes that want the same name. False: another name is needed.
bool take(OutputDirectory& result) {
  const bool made = make_readable_directory(result.path);
  result.place = OwnDirectory(result.path);
  if (!made && !result.place) return false;
  const std::filesystem::path at = result.place.at(result.path);
  std::error_code error;
  if (at.empty() || ::access(at.c_str(), W_OK | X_OK) != 0 || !std::filesystem::is_empty(at, error) || error)
    return false;
  if (!make_private_directory(at / "raw")) return false;
  if (job_of_directory(at).empty()) return true;
  ::rmdir((at / "raw").c_str());  // a job has come at the same time
  return false;
}

JobRun* own_run = nullptr;  ///< of this process, in a launcher's job; never freed: the process may end in any way

OutputNames names_of(const RunInfo& run) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {run.program, run.process_id, run.host, utc_time_name(now)};
}

/// In the job's directory, which is open at `at`: the directory itself for the first that comes, a part for others.
/// Returns a path to it.
std::filesystem::path take_from_job(OutputDirectory& result, const std::filesystem::path& at, bool may_be_first,
                                    const Config& config, const RunInfo& run) {
  std::error_code error;
  std::filesystem::path place = at;
  if (!may_be_first || std::filesystem::exists(at / "traces", error) || !make_private_directory(at / "raw")) {
    place = make_part_directory(at, config.launch, run.host);
    make_private_directory(place / "raw");
    result.path = result.path / "parts" / place.filename();
  }
  result.place = OwnDirectory(place);
  return place;
}

/// Of the launch: what the first process has that records something, or a part of its own. None: the launch has ended.
/// A process may begin while `tracer run` looks for the traces of its launch:
///   1. `tracer run` renames JOB/runs/MARK (JobRun::end()). It lists the traces after that.
///   2. The process makes its directory. It looks for JOB/runs/MARK after that: either this is gone, and the process
///      goes elsewhere, or the directory is in the list.
std::optional<OutputDirectory> in_the_launch(const Config& config, const RunInfo& run,
                                             const std::filesystem::path& wanted) {
  UniqueFd open;
  const std::string job = job_of_directory(wanted, &open);
  if (job.empty()) return std::nullopt;
  const std::filesystem::path at = path_of_descriptor(open.get(), wanted);
  if (!has_launch(at, config.launch)) return std::nullopt;  // it has ended, or another's directory is in its place
  OutputDirectory result;
  result.path = result.wanted = wanted;
  const std::filesystem::path place = take_from_job(result, at, job == config.launch, config, run);
  if (!has_launch(at, config.launch)) {
    ::rmdir((place / "raw").c_str());
    ::rmdir(place.c_str());  // a part
    return std::nullopt;
  }
  if (!leads_to(wanted, open.get())) throw Error(wanted.string() + " was moved away");
  return result;
}

/// Of a launcher's job, without `tracer run`.
std::optional<OutputDirectory> in_the_job(const Config& config, const RunInfo& run) {
  const Launcher launcher = find_launcher();
  if (launcher.job.empty()) return std::nullopt;
  const std::string pattern = pattern_of_job(config.output, launcher.job);
  if (pattern.empty()) return std::nullopt;
  OutputDirectory result;
  result.wanted = place_of(expand_output(pattern, names_of(run)), run.working_directory);
  make_parents(result.wanted);
  own_run = new JobRun(result.wanted, launcher.job, random_name());  // a forked child leaves its parent's alone
  result.job = result.path = own_run->directory().path;
  take_from_job(result, own_run->at(), true, config, run);  // the first: where each has its own, nothing else is there
  return result;
}

}  // namespace

JobRun* own_job_run() noexcept {
  return own_run;
}

OutputDirectory make_output_directory(const Config& config, const RunInfo& run) {
  own_run = nullptr;
  const std::string pattern = config.output.empty() ? default_output : config.output;
  OutputDirectory result;
  const std::filesystem::path wanted = place_of(expand_output(pattern, names_of(run)), run.working_directory);
  result.wanted = wanted;
  if (!config.launch.empty()) {
    if (auto found = in_the_launch(config, run, wanted)) return *std::move(found);
  } else if (auto found = in_the_job(config, run)) {
    return *std::move(found);
  }
  make_parents(wanted);
  constexpr int most_attempts = 100000;
  for (int attempt = 1; attempt < most_attempts; ++attempt) {
    result.path = attempt == 1 ? wanted : std::filesystem::path(wanted.string() + "." + std::to_string(attempt));
    result.renamed = attempt > 1;
    try {
      if (!take(result)) continue;
    } catch (const Error& error) {
      if (!result.renamed) throw;
      throw Error(wanted.string() + ' ' + why_not_taken(wanted) + "; " + error.what());
    }
    const bool is_known = leave_note(config, LaunchNoteKind::elsewhere, result.path.string());
    result.outlives_launch = !config.launch.empty() && !is_known;
    return result;
  }
  throw Error("cannot find a free name for " + wanted.string());
}

}  // namespace tracer
