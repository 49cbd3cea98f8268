// SPDX-License-Identifier: BSD-3-Clause
// A block of an index: some thousand events of one location (docs/formats/index.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/otf2/read/event_reader.hpp"
#include "tracer/index/lane.hpp"
#include "tracer/index/summary.hpp"

namespace tracer::index {

/// Of the table of a location's blocks.
struct BlockPlace {
  std::uint64_t time = 0;       ///< of its first event
  std::uint64_t ordinal = 0;    ///< events of the location before it, of those that are read
  otf2::ReadPosition position;  ///< of its first event
  std::uint64_t payload = 0;    ///< where in the location's payloads its own begins
};
inline constexpr std::size_t block_place_bytes = 6 * 8;

/// A task that is switched to in a block, and whose open regions come from before it or from another location.
struct Resumed {
  std::uint64_t ordinal = 0;  ///< of the switch, in the block
  std::vector<RegionRef> regions;
};

struct Block {
  LaneState state;  ///< before its first event
  std::vector<Resumed> resumed;
  std::vector<Sum> sums;
};

void put_place(std::string& out, const BlockPlace& place);
BlockPlace place_at(std::string_view table, std::size_t index);

void put_sums(std::string& out, const std::vector<Sum>& sums);
void put_block(std::string& out, const Block& block, std::uint64_t time);

/// Throw tracer::Error where the bytes are none. `time`: the block's.
Block block_of(std::string_view payload, std::uint64_t time);
/// The sums at the beginning of a block's payload, or of an inner node's.
void add_sums(std::string_view payload, Sums& to);

}  // namespace tracer::index
