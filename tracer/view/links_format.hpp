// SPDX-License-Identifier: BSD-3-Clause
// The bytes of traces.links, for those who write and read it (docs/formats/links.md).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/view/links.hpp"

namespace tracer::view {

inline constexpr std::string_view links_magic = "TRCLINKS";
inline constexpr std::uint64_t links_version = 3, links_header_words = 8, chunk_words = 10, series_words = 5;
inline constexpr std::uint64_t most_bytes_of_chunk = 1 << 20, most_bytes_of_directory = 256 << 20;

inline void put_chunk(std::string& out, const Chunk& chunk) {
  for (const std::uint64_t word :
       {chunk.what, chunk.of, chunk.offset, chunk.bytes, chunk.count, chunk.checksum, chunk.first, chunk.last,
        std::bit_cast<std::uint64_t>(chunk.low), std::bit_cast<std::uint64_t>(chunk.high)})
    put_word(out, word);
}
inline Chunk chunk_of(BytesIn& in) {
  Chunk chunk;
  for (std::uint64_t* word :
       {&chunk.what, &chunk.of, &chunk.offset, &chunk.bytes, &chunk.count, &chunk.checksum, &chunk.first, &chunk.last})
    *word = in.word();
  chunk.low = std::bit_cast<double>(in.word());
  chunk.high = std::bit_cast<double>(in.word());
  return chunk;
}

}  // namespace tracer::view
