// SPDX-License-Identifier: BSD-3-Clause
// A `tracer run` and the job it belongs to: the directory that its processes share with those of other launches.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tracer/base/files/file.hpp"
#include "tracer/job/job_directory.hpp"

namespace tracer::cli {

/// Where this launch's processes write, and who makes one archive of it.
struct Launch {
  std::string mark = random_name();
  std::optional<JobRun> job;    ///< none: there is no place
  std::filesystem::path place;  ///< the job's directory, as users name it
  std::filesystem::path at;     ///< and as it is opened: nobody can put another there
  std::string why_none;         ///< why there is no place
  bool shared = false;          ///< with other `tracer run`s
  bool nested = false;          ///< below another `tracer run`, which looks after the job
  bool keeps_open = false;      ///< for launches that come later
  unsigned processes = 0;       ///< that the launcher started; 0 unknown
};

/// Makes or joins the job's directory. `output` as --output has it, "" for the default.
Launch begin_launch(const std::string& output, const std::filesystem::path& program);

/// What this launch's processes have left, the first one's first; relative to the job's directory. All lies in that,
/// and no one else can write there.
std::vector<std::filesystem::path> traces_of(const Launch& launch);

}  // namespace tracer::cli
