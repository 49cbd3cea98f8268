// SPDX-License-Identifier: BSD-3-Clause
// One channel's records become its part of the tables. Channels are independent, so
// several threads scan at once.
#pragma once

#include "tracer/trace_source.hpp"
#include "tracer/translate/scan/facts.hpp"
#include "tracer/translate/scan/positions.hpp"

namespace tracer::translate {

/// Reads the whole channel. Throws what the reader throws. `spill`: where its tables lie when they are large; nullptr:
/// in memory.
ChannelScan scan_channel(RecordReader& reader, ChannelId channel, const RuntimeCode& runtime,
                         SpillFile* spill = nullptr);

}  // namespace tracer::translate
