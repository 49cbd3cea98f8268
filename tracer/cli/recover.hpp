// SPDX-License-Identifier: BSD-3-Clause
// Recovery as `tracer run` uses it.
#pragma once

#include <filesystem>
#include <vector>

#include "tracer/cli/launch/job_launch.hpp"
#include "tracer/convert/convert.hpp"

namespace tracer::cli {

/// Recovers the dead runs that bear this launch's mark (TRACER_LAUNCH) and are elsewhere than `traces`, which are
/// relative to the job's directory: in a process of its own, within the limits of memory and time.
void recover_elsewhere(const Launch& launch, const std::vector<std::filesystem::path>& traces,
                       const ConvertOptions& conversion);

/// A line on shared memory that dead runs of other launches have left, when it is much; once for each run.
void print_left_memory(const Launch& launch);

}  // namespace tracer::cli
