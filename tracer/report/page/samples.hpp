// SPDX-License-Identifier: BSD-3-Clause
// The samples of one trace on the page: call paths, and who was where when, in cells that are as fine as fits.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tracer/replay/samples/call_paths.hpp"
#include "tracer/replay/samples/counters.hpp"

namespace tracer::report {

/// How much of the page samples may take, whatever the trace.
struct PageSampleLimits {
  std::size_t cells = 200'000;  ///< each some 5 bytes; as many fewer as counters make them larger
  std::size_t paths = 20'000;   ///< rarer ones end in "(rare paths)"
};

class PageSamples {
 public:
  /// `origin`: the time from which the page counts. `join` and `paths` must stay.
  PageSamples(const SampleJoin& join, const SamplePaths& paths, std::uint64_t origin,
              const PageSampleLimits& limits = {});
  /// Frames, paths, kinds, counters, and of how many cells each location's part of bytes() is.
  nlohmann::json json() const;
  /// Per location in that order, per cell three variable-length integers: gap since the last cell in units of time,
  /// kind, number of samples, then one for each counter: by how much it went up.
  const std::string& bytes() const { return bytes_; }

 private:
  /// What the page distinguishes.
  struct Kind {
    std::uint32_t node = 0;
    Activity activity = Activity::work;
    RegionRef region = undefined_ref;
    auto operator<=>(const Kind&) const = default;
  };
  struct Cell {
    std::uint64_t bin = 0;
    std::uint32_t kind = 0, count = 0;
  };
  void choose_paths(std::size_t most);
  void number_kinds(bool with_regions);
  std::size_t fill(std::uint64_t unit, std::size_t most);
  /// `at`: a counter. Samples that have no value count as 0.
  std::uint64_t counted(std::size_t sample, std::size_t at) const;
  void encode();

  const SampleJoin& join_;
  const SamplePaths& paths_;
  const SampleCounters counters_;
  const std::uint64_t origin_;
  std::vector<std::uint64_t> inside_;                ///< samples, of each of the paths' nodes
  std::vector<std::uint32_t> page_node_;             ///< by node: where its samples go on the page
  std::vector<PathNode> nodes_;                      ///< of the page; a frame beyond the last is that of rare paths
  std::vector<Kind> kinds_;                          ///< of the page
  std::vector<std::uint32_t> page_kind_;             ///< by kind
  std::vector<std::vector<Cell>> cells_;             ///< by location
  std::vector<std::vector<std::uint64_t>> counted_;  ///< by location: of each cell, by counter
  std::uint64_t unit_ = 1000;
  std::string bytes_;
};

}  // namespace tracer::report
