// SPDX-License-Identifier: BSD-3-Clause
// A part of a trace: from a time to another, of some threads of some processes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/timeline.hpp"

namespace tracer::report {

/// "0-3,7". Empty: every number.
class Numbers {
 public:
  Numbers() = default;
  /// Throws tracer::Error that says what is wrong.
  explicit Numbers(std::string_view text);
  bool has(std::uint64_t number) const;
  bool all() const { return ranges_.empty(); }

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

struct Part {
  std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();  ///< ns since the trace's begin
  Numbers threads;  ///< of each process, from 0 in the order of their definition; device streams count with their own
  Numbers ranks;    ///< of processes, by the number in their name, else from 0 in the order of their definition
  bool whole() const {
    return from == 0 && to == std::numeric_limits<std::uint64_t>::max() && threads.all() && ranks.all();
  }
};

/// Passes on the slices, arrows, messages, counters, bands and samples of a part; slices and pauses that reach beyond
/// it are cut at its ends.
class PartSlices final : public TimelineVisitor {
 public:
  PartSlices(const Definitions& definitions, const Part& part, TimelineVisitor& next);
  void open(const Slice& slice) override;
  void close(const Slice& slice) override;
  void arrow(const Arrow& arrow) override;
  void message(const Message& message) override;
  void message_end(const MessageEnd& end) override;
  void counter(const Counter& counter) override;
  void band(const Band& band) override;
  void sampled_path(const SampledPath& path) override { next_.sampled_path(path); }
  void sampled_counter(const SampledCounter& counter) override { next_.sampled_counter(counter); }
  void sample(const TimelineSample& sample) override;
  void pause(const TimelinePause& pause) override;
  void phase(const PhaseTotals&) override {}  ///< sums of the whole trace: not a part's
  void finish() override;

 private:
  struct Open {
    Slice slice;  ///< as it was opened
    bool passed = false;
  };
  /// The trace has come to a time: from the part's begin on, what is open is passed on.
  void come_to(std::uint64_t time);
  void pass(Open& one);
  bool is_wanted(LocationRef location) const { return location < wanted_.size() && wanted_[location]; }

  TimelineVisitor& next_;
  std::uint64_t from_, to_;  ///< on the trace's clock
  bool begun_ = false;
  std::vector<bool> wanted_, groups_;  ///< by location, by process
  std::map<LocationRef, std::vector<Open>> open_;
};

}  // namespace tracer::report
