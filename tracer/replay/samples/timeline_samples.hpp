// SPDX-License-Identifier: BSD-3-Clause
// Samples and pauses for those who write timelines.
#pragma once

#include "tracer/replay/samples/join.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

/// Passes a trace's samples on at its end. Add it to the Replay before the Timeline, which finishes the visitor.
class TimelineSamples final : public Observer {
 public:
  /// All stay the caller's, and there.
  TimelineSamples(const Definitions& definitions, const samples::SampleSet& set, TimelineVisitor& to)
      : join_{definitions, set}, to_{to} {}
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override {
    join_.interval(location, task, activity, from, to);
  }
  void finished(std::uint64_t time) override;

 private:
  SampleJoin join_;
  TimelineVisitor& to_;
};

}  // namespace tracer::report
