// SPDX-License-Identifier: BSD-3-Clause
// A lane's slices as fine as they can be drawn: single ones, or what many of them are together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracer/index/trace_index.hpp"

namespace tracer::view {

struct Span {
  std::uint64_t begin = 0, end = 0;
  RegionRef region = undefined_ref;
  std::uint64_t count = 1;  ///< slices
};

struct LaneWindow {
  bool is_exact = true;                 ///< from single events; else from the index' sums of blocks
  bool is_merged = false;               ///< what is shorter than a pixel is put together
  std::uint64_t events = 0;             ///< in the blocks that were looked at; 0 where is_exact
  std::vector<std::vector<Span>> rows;  ///< by depth
};

/// Whether what these locations have in the window is in so many blocks of usual size or fewer.
bool are_few_events(const index::TraceIndex& index, std::span<const LocationRef> locations, std::uint64_t from,
                    std::uint64_t to, std::size_t blocks);

/// `blocks`: of how many blocks of usual size single events may be read; of a window in one or two they always are.
LaneWindow window_of(index::TraceIndex& index, LocationRef location, std::uint64_t from, std::uint64_t to,
                     std::uint64_t width, std::size_t blocks);

}  // namespace tracer::view
