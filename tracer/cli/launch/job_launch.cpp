// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/cli/launch/job_launch.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include "tracer/base/files/permissions.hpp"
#include "tracer/cli/archives/archive.hpp"
#include "tracer/cli/archives/conversion.hpp"
#include "tracer/error.hpp"
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

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

/// Without a place for it the launch knows why.
void enter(Launch& launch, const std::string& wanted, const std::string& job) {
  try {
    std::error_code error;
    const fs::path here = fs::current_path(error), place = place_of(wanted, here);
    if (place.is_relative()) throw Error{"cannot make " + place.string() + " here: " + error.message()};
    make_parents(place);
    launch.job.emplace(place, job, launch.mark);
    launch.place = launch.job->directory().path;
    launch.at = launch.job->at();
  } catch (const std::exception& error) {
    launch.place.clear();
    launch.why_none = error.what();
  }
}

}  // namespace

Launch begin_launch(const std::string& output, const fs::path& program) {
  Launch launch;
  if (output.empty()) launch.place = directory_of_outer_launch();
  launch.nested = !launch.place.empty();
  if (launch.nested) {
    enter(launch, launch.place, job_of_directory(launch.place));
    return launch;
  }
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
  const OutputNames names{program.string(), static_cast<std::uint64_t>(::getpid()), host_name(), local_time_name()};
  enter(launch, expand_output(pattern, names), job);
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
