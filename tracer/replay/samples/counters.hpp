// SPDX-License-Identifier: BSD-3-Clause
// What was counted between a thread's samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracer/samples.hpp"

namespace tracer::report {

class SampleCounters {
 public:
  /// `set` must stay.
  explicit SampleCounters(const samples::SampleSet& set);
  /// How many counters there are.
  std::size_t size() const { return set_.counters.size(); }
  /// By counter, since the last sample of the thread that had a value, for its first since the thread was watched;
  /// samples::not_counted: unknown.
  std::span<const std::uint64_t> increases(std::size_t sample) const {
    return std::span{increases_}.subspan(sample * size(), size());
  }

 private:
  const samples::SampleSet& set_;
  std::vector<std::uint64_t> increases_;
};

}  // namespace tracer::report
