// SPDX-License-Identifier: BSD-3-Clause
// What `tracer run` does when its program has ended: archives of what was recorded, one of the whole job, a report.
// Nothing of that changes the status with which the program ended: what fails leads to a message, what was recorded
// stays.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracer/cli/launch/job_launch.hpp"
#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/launch/run_options.hpp"
#include "tracer/convert/process_life.hpp"

namespace tracer::cli {

struct RunProgram {
  std::filesystem::path path;
  std::string preload;           ///< the runtime that it ran with, "" its own
  bool is_reason_known = false;  ///< a line before its start says why there may be no trace
  bool launches_ranks = false;   ///< it is mpirun or the like
  SeenProcesses seen;            ///< it and processes below it, but for its end
};

/// Throws nothing.
void look_after_run(const RunOptions& options, Launch& launch, const Ended& ended, const RunProgram& program) noexcept;

/// The launcher has killed this `tracer run`: what it would have done at the end of its program, and of the job.
void finish_killed(const RunOptions& options, Launch& launch);

}  // namespace tracer::cli
