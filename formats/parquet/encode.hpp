// SPDX-License-Identifier: BSD-3-Clause
// Parquet's encodings of pages: DELTA_BINARY_PACKED for integers, the hybrid of runs and packed bits for
// dictionary indices. "Encodings.md" of the format's specification.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tracer::parquet {

using Bytes = std::vector<std::uint8_t>;

/// Appends the values of one page. `narrow`: they are 32 bit numbers, whose differences wrap at 32 bits.
void encode_delta(std::span<const std::int64_t> values, bool narrow, Bytes& out);

/// Appends the bit width (one byte) and the indices of one page; all are below `size`, the dictionary's.
void encode_indices(std::span<const std::int64_t> indices, std::uint64_t size, Bytes& out);

}  // namespace tracer::parquet
