// SPDX-License-Identifier: BSD-3-Clause
// A trace's samples by location and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/samples.hpp"

namespace tracer::view {

/// Any thread, several at a time.
class Sampled {
 public:
  Sampled(samples::SampleSet set, const Definitions& definitions);

  struct Column {
    std::uint64_t time = 0;  ///< of its first sample
    std::uint64_t count = 0;
  };
  /// Those of [from, to], in at most about `most` columns.
  std::vector<Column> columns(LocationRef location, std::uint64_t from, std::uint64_t to, std::size_t most) const;

  struct Line {
    std::string function, file;
    std::uint32_t line = 0;  ///< 0 unknown
    std::uint64_t count = 0;
  };
  /// Where the program's own code was, most samples first.
  std::vector<Line> lines(const std::vector<LocationRef>& locations, std::uint64_t from, std::uint64_t to) const;
  std::uint64_t period() const { return set_.period; }
  bool has(LocationRef location) const { return of_[location].first != of_[location].second; }

 private:
  std::pair<std::size_t, std::size_t> within(LocationRef location, std::uint64_t from, std::uint64_t to) const;
  const std::string& text(std::uint32_t string) const;

  samples::SampleSet set_;
  std::vector<std::pair<std::size_t, std::size_t>> of_;  ///< by location
};

}  // namespace tracer::view
