// SPDX-License-Identifier: BSD-3-Clause
// One channel's records, out of its segments and of what is left in its ring.
#pragma once

#include <memory>
#include <vector>

#include "formats/raw/segment_index.hpp"
#include "formats/raw/spool_reader.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::raw {

struct ChannelParts {
  std::vector<Segment> segments;
  std::vector<LeftRing> rings;
};

/// Walks the parts by position; what is missing between two becomes a `lost` record. Descriptors and parts
/// outlive the reader.
std::unique_ptr<RecordReader> make_record_reader(int trace, int rings, const ChannelParts& parts);

}  // namespace tracer::raw
