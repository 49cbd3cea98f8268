// SPDX-License-Identifier: BSD-3-Clause
// Which parts of a job one of several mergers joins.
#pragma once

#include <filesystem>
#include <vector>

namespace tracer {

/// The `part`-th of `of` shares (from 1), a neighbourhood of ranks. Nothing of the others is converted, and none of
/// their events are read: the mergers divide a job's work. Each finds the same shares, whatever the others have
/// converted by then. What cannot be read comes last.
std::vector<std::filesystem::path> share_of(const std::vector<std::filesystem::path>& traces, unsigned part,
                                            unsigned of);

}  // namespace tracer
