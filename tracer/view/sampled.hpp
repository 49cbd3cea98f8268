// SPDX-License-Identifier: BSD-3-Clause
// A trace's samples by location and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formats/samples/samples.hpp"
#include "tracer/definitions.hpp"
#include "tracer/samples.hpp"

namespace tracer::view {

/// Any thread, several at a time. The samples stay in the file, sorted by thread and time as it has them. What reads
/// them throws tracer::Error where the file has changed.
class Sampled {
 public:
  Sampled(samples::SampleFile file, const Definitions& definitions);

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
  std::uint64_t period() const { return file_.words().period; }
  bool has(LocationRef location) const { return of_[location].first != of_[location].second; }

 private:
  using Key = std::pair<std::uint32_t, std::uint64_t>;  ///< thread, time
  class Reader;

  std::pair<std::uint64_t, std::uint64_t> within(LocationRef location, std::uint64_t from, std::uint64_t to,
                                                 Reader& reader) const;
  const std::string& text(std::uint32_t string) const;

  samples::SampleFile file_;
  std::vector<Key> chunks_;                                  ///< of the first sample of each
  std::vector<std::pair<std::uint64_t, std::uint64_t>> of_;  ///< by location: its samples' numbers
  std::vector<std::uint32_t> thread_of_;                     ///< by location; 0: none
};

}  // namespace tracer::view
