// SPDX-License-Identifier: BSD-3-Clause
// The traces that a `tracer run` finds when its program has ended, and its message where there is none.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tracer/base/launch_notes.hpp"
#include "tracer/cli/launch/job_launch.hpp"
#include "tracer/cli/launch/launch.hpp"

namespace tracer::cli {

/// A trace of the launch: where it is, and how it is gone to.
struct OwnTrace {
  std::filesystem::path directory, at;
};

/// A launch's own trace, which is "", or one of its parts.
std::filesystem::path path_of(const std::filesystem::path& directory, const std::filesystem::path& trace);

/// What traces_of() names.
std::vector<OwnTrace> own_traces(const Launch& launch, const std::vector<std::filesystem::path>& traces);

/// Those of traces_of() that are not `known`.
std::vector<std::filesystem::path> more_traces(const Launch& launch, const std::vector<std::filesystem::path>& known);

/// Of processes that had another TRACER_OUTPUT, from the program itself or from what started it; prints where they are.
std::vector<OwnTrace> traces_elsewhere(const std::vector<LaunchNote>& notes);

/// Prints why there may be no trace. `preload`: the runtime the program ran with, "" its own.
void print_none_was_made(const Ended& ended, const std::string& preload, const std::vector<LaunchNote>& notes);

}  // namespace tracer::cli
