// SPDX-License-Identifier: BSD-3-Clause
// The samples of several archives as those of the one that they become.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "formats/otf2/join/local_definition_writer.hpp"
#include "tracer/samples.hpp"

namespace tracer {

/// By a part's numbers of threads those of the whole: other processes, and other hosts, have threads of the same
/// number.
using SampledThreads = std::map<std::uint32_t, std::uint32_t>;

class SamplesOfJob {
 public:
  /// The samples beside the archive in `directory`, put where `clock` puts the part's events (docs/jobs.md, one time).
  /// Empty where there are none. Throws tracer::Error when they cannot be read, or have too many counters; then no
  /// sample is added.
  SampledThreads add(const std::filesystem::path& directory, const std::vector<otf2::ClockOffset>& clock);
  /// Beside the archive that is made in `directory`, if there are any. Throws tracer::Error. Their period is the mean
  /// of the parts' by their numbers of samples: with it the times of all samples add up to those of the parts.
  void write(const std::filesystem::path& directory);
  /// Where parts have other periods than others, so that times and shares between processes are rough; "" where not.
  /// Samples by signals have them: the kernel sends those at its own ticks.
  std::string periods_text() const;

 private:
  using FrameKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, samples::Origin>;

  std::uint32_t string(const std::string& text);
  std::uint32_t frame(const samples::Frame& frame);
  std::vector<std::size_t> counters_of(const samples::SampleSet& part, const std::vector<std::uint32_t>& strings);

  samples::SampleSet all_;
  double processor_time_ = 0;                 ///< ns, of all samples
  std::uint64_t shortest_ = 0, longest_ = 0;  ///< ns, of the parts' periods
  std::uint32_t next_thread_ = 1;
  std::unordered_map<std::string, std::uint32_t> strings_{{"", 0}};
  std::map<FrameKey, std::uint32_t> frames_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> stacks_;
};

}  // namespace tracer
