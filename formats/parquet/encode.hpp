// SPDX-License-Identifier: BSD-3-Clause
// Parquet's encodings of pages: DELTA_BINARY_PACKED for integers, the hybrid of runs and packed bits for
// dictionary indices. "Encodings.md" of the format's specification.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tracer::parquet {

using Bytes = std::vector<std::uint8_t>;

/// Differences that are packed together: a page has blocks of so many, only the last is shorter.
inline constexpr std::size_t delta_block = 128;

inline bool all_alike(std::span<const std::int64_t> values) noexcept {
  for (std::size_t at = 0; at < values.size(); at += 16) {
    std::int64_t differs = 0;
    for (std::size_t i = at; i < std::min(at + 16, values.size()); ++i) differs |= values[i] ^ values[0];
    if (differs != 0) return false;
  }
  return true;
}

struct Range {
  std::int64_t least, most;
};
/// Of one value at least.
Range range_of(std::span<const std::int64_t> values);

/// Of packed differences: as few bits as do, or whole bytes, which is more, but a compressor finds what comes again.
enum class Widths : std::uint8_t { bits, bytes };

/// Appends the values of one page. `narrow`: they are 32 bit numbers, whose differences wrap at 32 bits.
void encode_delta(std::span<const std::int64_t> values, bool narrow, Widths widths, Bytes& out);

/// The same piece by piece: what a page of `count` values begins with, and its blocks, each of 2 to 1 + delta_block
/// values, the first of which is the last one of the block before.
void encode_delta_head(std::uint64_t count, std::int64_t first, Bytes& out);
void encode_delta_block(std::span<const std::int64_t> values, bool narrow, Widths widths, Bytes& out);
/// A block of values that are all alike.
void encode_alike_block(Bytes& out);

/// Appends the bit width (one byte) and the indices of one page; all are below `size`, the dictionary's.
void encode_indices(std::span<const std::uint32_t> indices, std::uint64_t size, Bytes& out);

}  // namespace tracer::parquet
