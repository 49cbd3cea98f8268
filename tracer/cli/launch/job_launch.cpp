// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/cli/launch/job_launch.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <system_error>

#include "tracer/base/files/permissions.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/job/output_pattern.hpp"

namespace tracer::cli {
namespace fs = std::filesystem;
namespace {

/// An outer `tracer run` has set both.
fs::path directory_of_outer_launch() {
  const char* mark = std::getenv("TRACER_LAUNCH");
  const char* output = std::getenv("TRACER_OUTPUT");
  if (mark == nullptr || *mark == '\0' || output == nullptr) return {};
  const fs::path place = expand_output(output, {});
  return place.is_absolute() && !job_of_directory(place).empty() ? place : fs::path{};
}

void make_parents(const fs::path& path) {
  fs::path built;
  std::error_code error;
  for (const auto& part : path.parent_path()) {
    built /= part;
    if (!fs::exists(built, error)) make_readable_directory(built);
  }
}

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

Launch begin_launch(const std::string& output, const fs::path& program) {
  Launch launch;
  if (output.empty()) launch.place = directory_of_outer_launch();
  launch.at = launch.place;
  launch.nested = !launch.place.empty();
  if (launch.nested) return launch;
  const Launcher launcher = find_launcher();
  std::string pattern = wanted_output(output);
  std::string job = launch.mark;
  if (!launcher.job.empty()) {
    if (const std::string common = pattern_of_job(pattern, launcher.job); !common.empty()) {
      pattern = common;
      job = launcher.job;
      launch.shared = true;
      launch.processes = launcher.processes;
      launch.keeps_open = launcher.named;
    }
  }
  const OutputNames names{program.string(), static_cast<std::uint64_t>(::getpid()), host_name()};
  try {
    const fs::path wanted = place_of(expand_output(pattern, names), fs::current_path());
    make_parents(wanted);
    launch.job.emplace(wanted, job, launch.mark);
    launch.place = launch.job->directory().path;
    launch.at = launch.job->at();
  } catch (const std::exception& error) {
    launch.place.clear();
    launch.why_none = error.what();
  }
  return launch;
}

std::vector<fs::path> traces_of(const Launch& launch) {
  std::vector<fs::path> traces;
  if (launch.place.empty()) return traces;
  std::error_code error;
  if (!launch.shared && !launch.nested && fs::exists(launch.at / "raw", error)) traces.push_back({});
  for (const fs::path& part : parts_of_job(launch.at, launch.shared || launch.nested ? launch.mark : "")) {
    if (fs::exists(part / "raw", error)) traces.push_back(fs::path{"parts"} / part.filename());
  }
  return traces;
}

}  // namespace tracer::cli
