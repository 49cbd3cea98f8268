// SPDX-License-Identifier: BSD-3-Clause
// A location's own definitions as bytes: mapping tables and clock offsets, as the OTF2 library writes them.
//
//   mapping table   0x05, length, what it maps, number of entries, 0 dense / 1 sparse, the entries
//   clock offset    0x06, length, u64 time, signed offset, f64 standard deviation
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "formats/otf2/join/joined_definitions.hpp"
#include "formats/otf2/read/local_definitions.hpp"

namespace tracer::otf2 {

/// At a time of the location's own clock: what is to be added, and how sure that is. Between two of them a line.
struct ClockOffset {
  std::uint64_t time = 0;
  std::int64_t offset = 0;
  double deviation = 0;
};

using Kinds = std::array<bool, PartMaps::kinds>;  ///< by ReferenceKind - 1
/// What events may refer to: fields of any event, attributes, and what attributes of the types that the part defines
/// refer to.
Kinds kinds_in_events(const TraceDefinitions& part);

/// Tables of a location whose events have the references `inner` (its own file's tables, if any) of a part that became
/// `maps` in the whole, of these kinds. Tables that map everything to itself are left out. Throws tracer::Error for a
/// reference that makes no sense.
std::vector<std::uint8_t> mapping_tables(const PartMaps& maps, const LocalDefinitions& inner, const Kinds& kinds);

/// What a line adds to a time; before its begin and behind its end it goes on. 0 where there is none.
std::int64_t offset_at(const std::vector<ClockOffset>& line, std::uint64_t time) noexcept;

/// As one after the other: `inner` are the location's own, `outer` those of its part.
std::vector<ClockOffset> joined_clock(const std::vector<ClockOffset>& inner, const std::vector<ClockOffset>& outer);

std::vector<std::uint8_t> clock_offsets(std::span<const ClockOffset> offsets);

}  // namespace tracer::otf2
