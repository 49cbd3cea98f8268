// SPDX-License-Identifier: BSD-3-Clause
// What if there were more threads, a loop were balanced, a lock were not there: replays the recorded work and its
// dependences on simulated threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/replay/not_recorded.hpp"

namespace tracer::report {

struct Scenario {
  std::uint32_t threads = 0;        ///< of each parallel region; 0: as recorded
  std::string balanced;             ///< "FILE:LINE" or part of a name: this construct's work is spread evenly
  std::string without_lock;         ///< part of a name: nobody waits for it
  std::int64_t task_overhead = -1;  ///< ns that each task costs beside its work and its creation; -1: as recorded
};

struct Prediction {
  Scenario scenario;
  std::uint64_t wall = 0;                             ///< from the first event to the last
  bool balanced_matched = true, lock_matched = true;  ///< the scenario's word names something that it can change
  bool matched() const { return balanced_matched && lock_matched; }
  std::string named;  ///< where not: a region of that name, "" none
};

struct WhatIf {
  NotRecorded lacks;
  std::uint64_t paused = 0;     ///< with recording off, of the process that ended last: in none of these times
  std::uint64_t recorded = 0;   ///< what the run took
  std::uint64_t serial = 0;     ///< of it outside of parallel regions; of the process that ended last
  std::uint32_t processes = 0;  ///< with events
  std::uint32_t threads = 0;    ///< of the largest team
  Prediction baseline;          ///< the model's time for what was recorded: its error is known
  std::vector<Prediction> predictions;
  std::string why_off;  ///< where the baseline is off most; "" nowhere
  /// Of the work in parallel regions: outside of loops, sections, single and tasks, in a run on libgomp, which does not
  /// report static loops, or where loops are not recorded. 0 in others.
  double unseen = 0;
  static constexpr double most_unseen = 0.10;
  /// A model that is further from the recorded run predicts no other.
  static constexpr double most_error = 0.10;
  std::string why_none() const;             ///< why nothing follows from the trace; "" something does
  std::vector<std::string> doubts() const;  ///< what the times are without: a sentence each
  bool is_off() const { return error() > most_error || error() < -most_error; }
  double error() const {
    return recorded == 0 ? 0 : static_cast<double>(baseline.wall) / static_cast<double>(recorded) - 1;
  }
  /// Against the replay of the unchanged run: what the model itself is off by is no gain. 0: the prediction takes no
  /// time.
  double speedup(const Prediction& prediction) const {
    return prediction.wall == 0 ? 0 : static_cast<double>(baseline.wall) / static_cast<double>(prediction.wall);
  }
};

/// One pass over the trace; of each parallel region only as much is kept as it has tasks and constructs.
WhatIf what_if(EventSource& source, const std::vector<Scenario>& scenarios,
               const std::function<void(double)>& progress = {});

}  // namespace tracer::report
