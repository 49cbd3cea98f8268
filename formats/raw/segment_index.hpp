// SPDX-License-Identifier: BSD-3-Clause
// Where the segments of a trace file are: found by their headers alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/raw/layout.hpp"

namespace tracer::raw {

struct Segment {
  std::uint64_t offset;  ///< of the payload
  std::uint64_t position;
  std::uint64_t payload_check;
  Ticks first, last;
  std::uint32_t payload_bytes;
  std::uint32_t records;
};

struct SegmentIndex {
  RunId run;
  std::map<ChannelId, std::vector<Segment>> channels;  ///< in order of position
  std::vector<Segment> device;                         ///< in order of arrival
  std::uint64_t segments = 0;
  std::uint64_t cut_bytes = 0;       ///< at the end, of a segment that was being written
  std::uint64_t searched_bytes = 0;  ///< of the file that were read to find headers behind damage
  std::vector<std::string> damage;
};

/// Reads all headers of the file behind `fd`; skips what is damaged. Throws tracer::Error when it is no trace.
SegmentIndex index_segments(int fd);

}  // namespace tracer::raw
