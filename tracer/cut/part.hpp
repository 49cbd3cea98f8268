// SPDX-License-Identifier: BSD-3-Clause
// A part of a trace: from a time to another, of some threads of some processes.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/samples.hpp"

namespace tracer::report {

/// "0-3,7". Empty: every number.
class Numbers {
 public:
  Numbers() = default;
  /// Throws tracer::Error with the reason.
  explicit Numbers(std::string_view text);
  bool has(std::uint64_t number) const;
  bool all() const { return ranges_.empty(); }
  /// As it was written.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

struct Part {
  std::uint64_t from = 0, to = std::numeric_limits<std::uint64_t>::max();  ///< ns since the trace's begin
  Numbers threads;  ///< of each process, from 0 in the order of their definition; device streams count with their own
  Numbers ranks;    ///< of processes, by the number in their name, else from 0 in the order of their definition
  bool whole() const {
    return from == 0 && to == std::numeric_limits<std::uint64_t>::max() && threads.all() && ranks.all();
  }
  /// Its ends, on the trace's clock.
  std::uint64_t begin(const ClockProperties& clock) const;
  std::uint64_t end(const ClockProperties& clock) const;
  /// Which locations it has.
  std::vector<bool> locations(const Definitions& definitions) const;
  /// The same; throws tracer::Error where it has none, or begins behind the trace's end.
  std::vector<bool> some_locations(const Definitions& definitions) const;
  /// "from 1.5 s to 2 s, threads 0-3".
  std::string text() const;
};

/// Counts of the whole run do not apply to a part of it; but that processors were short, and what was lost, is kept.
void remove_sums(Definitions& definitions);

/// Leaves of the samples and pauses those of the part; pauses that reach beyond it are cut. `definitions` are those of
/// part_of().
void cut_samples(samples::SampleSet& set, const Definitions& definitions);

}  // namespace tracer::report
