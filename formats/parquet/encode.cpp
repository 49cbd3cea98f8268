// SPDX-License-Identifier: BSD-3-Clause
// See encode.hpp. Little-endian machines only, as the raw format.
#include "formats/parquet/encode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace tracer::parquet {
namespace {

constexpr std::size_t block = 128, miniblocks = 4, miniblock = block / miniblocks;

void put_varint(std::uint64_t value, Bytes& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

/// `count` (a multiple of 8) values of `width` bits each, the first in the lowest bits. Returns the end; may touch
/// eight bytes beyond it.
std::uint8_t* pack(const std::uint64_t* values, std::size_t count, unsigned width, std::uint8_t* out) {
  if (width == 0) return out;
  std::uint64_t bits = 0;
  unsigned have = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t value = values[i];
    bits |= value << have;
    have += width;
    if (have >= 64) {
      std::memcpy(out, &bits, 8);
      out += 8;
      have -= 64;
      bits = have == 0 ? 0 : value >> (width - have);
    }
  }
  std::memcpy(out, &bits, 8);
  return out + have / 8;
}

}  // namespace

void encode_delta(std::span<const std::int64_t> values, bool narrow, Bytes& out) {
  put_varint(block, out);
  put_varint(miniblocks, out);
  put_varint(values.size(), out);
  put_varint(zigzag(values.empty() ? 0 : values.front()), out);
  std::array<std::uint64_t, block> deltas;
  for (std::size_t at = 1; at < values.size(); at += block) {
    const std::size_t count = std::min(block, values.size() - at);
    std::int64_t least = INT64_MAX;
    for (std::size_t i = 0; i < count; ++i) {
      // Unsigned: what overflows wraps, here and in readers.
      std::uint64_t delta = static_cast<std::uint64_t>(values[at + i]) - static_cast<std::uint64_t>(values[at + i - 1]);
      if (narrow) delta = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(delta)});
      deltas[i] = delta;
      least = std::min(least, static_cast<std::int64_t>(delta));
    }
    for (std::size_t i = 0; i < count; ++i) {
      deltas[i] -= static_cast<std::uint64_t>(least);
      if (narrow) deltas[i] &= 0xffffffffu;
    }
    std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(count), deltas.end(), 0);
    put_varint(zigzag(least), out);
    const std::size_t widths = out.size();
    out.resize(widths + miniblocks + block * 8 + 8);
    std::uint8_t* to = out.data() + widths + miniblocks;
    for (std::size_t m = 0; m < miniblocks; ++m) {
      const std::uint64_t* const from = deltas.data() + m * miniblock;
      std::uint64_t any = 0;
      for (std::size_t i = 0; i < miniblock; ++i) any |= from[i];
      const auto width = static_cast<unsigned>(std::bit_width(any));
      out[widths + m] = static_cast<std::uint8_t>(width);
      if (m * miniblock < count) to = pack(from, miniblock, width, to);
    }
    out.resize(static_cast<std::size_t>(to - out.data()));
  }
}

void encode_indices(std::span<const std::int64_t> indices, std::uint64_t size, Bytes& out) {
  const auto width = static_cast<unsigned>(std::bit_width(size < 2 ? std::uint64_t{1} : size - 1));
  out.push_back(static_cast<std::uint8_t>(width));
  const auto run_at = [&](std::size_t from) {
    std::size_t n = 1;
    while (from + n < indices.size() && indices[from + n] == indices[from]) ++n;
    return n;
  };
  std::vector<std::uint64_t> group;
  for (std::size_t at = 0; at < indices.size();) {
    if (const std::size_t run = run_at(at); run >= 8) {
      put_varint(run << 1, out);
      for (unsigned byte = 0; byte < (width + 7) / 8; ++byte)
        out.push_back(static_cast<std::uint8_t>(indices[at] >> (8 * byte)));
      at += run;
      continue;
    }
    group.clear();
    do {  // by eight, until there is a run
      for (std::size_t i = 0; i < 8; ++i)
        group.push_back(at + i < indices.size() ? static_cast<std::uint64_t>(indices[at + i]) : 0);
      at += 8;
    } while (at < indices.size() && run_at(at) < 8);
    put_varint(group.size() / 8 << 1 | 1, out);
    const std::size_t before = out.size();
    out.resize(before + group.size() * width / 8 + 8);
    pack(group.data(), group.size(), width, out.data() + before);
    out.resize(before + group.size() * width / 8);
  }
}

}  // namespace tracer::parquet
