// SPDX-License-Identifier: BSD-3-Clause
// An archive with the samples in it: one of calling contexts. Regions are entered and left as such, samples are events
// of their own, counters and scheduling metrics.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "formats/otf2/read/reader.hpp"
#include "tracer/samples.hpp"

namespace tracer::otf2 {

struct SampledArchiveResult {
  std::uint64_t events = 0, samples = 0, contexts = 0;
  std::uint64_t outside =
      0;  ///< samples of threads or times that the trace does not have, or while it was not recorded
};

/// Reads `trace` twice. `directory` is made, or is this user's and has no archive. `progress` is called with the share
/// that is done. Throws tracer::Error, also for a trace that has calling contexts already or whose regions are not in
/// balance; what is there then is no archive.
SampledArchiveResult write_sampled(const Trace& trace, const samples::SampleSet& samples,
                                   const std::filesystem::path& directory,
                                   const std::function<void(double)>& progress = {});

}  // namespace tracer::otf2
