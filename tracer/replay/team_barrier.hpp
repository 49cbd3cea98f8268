// SPDX-License-Identifier: BSD-3-Clause
// Which barriers are those that a team's members meet at.
#pragma once

#include <algorithm>
#include <vector>

#include "tracer/replay/regions.hpp"
#include "tracer/replay/replay_state.hpp"

namespace tracer::report {

/// Whether `construct` is a barrier of the task's team: not an explicit task's, and not in a target region that the
/// host runs itself, where the thread is a team of its own.
inline bool is_team_barrier(const Task& task, Directive construct, const std::vector<RegionClass>& classes) {
  if (!is_barrier(construct) || task.is_explicit) return false;
  return std::none_of(task.stack.begin(), task.stack.end(),
                      [&](const Frame& frame) { return classes[frame.region].construct == Directive::target; });
}

}  // namespace tracer::report
