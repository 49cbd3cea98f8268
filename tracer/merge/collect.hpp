// SPDX-License-Identifier: BSD-3-Clause
// The archives that a merge joins: what is still raw is converted, and each is read to its end.
#pragma once

#include <filesystem>
#include <vector>

#include "tracer/merge/merge.hpp"
#include "tracer/merge/part_of_job.hpp"

namespace tracer {

/// In the order of `traces`. What cannot be joined is named in `result`, in that order too.
std::vector<PartOfJob> collect(const std::vector<std::filesystem::path>& traces, const MergeOptions& options,
                               MergeResult& result);

}  // namespace tracer
