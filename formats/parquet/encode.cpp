// SPDX-License-Identifier: BSD-3-Clause
// See encode.hpp. Little-endian machines only, as the raw format.
#include "formats/parquet/encode.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "tracer/leb128.hpp"

// Loops over a block of numbers take half the time with what newer processors have; the loader of glibc takes what
// there is. Sanitizers' own code is not ready when it chooses.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRACER_FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TRACER_FOR_EACH_PROCESSOR
#endif

namespace tracer::parquet {
namespace {

constexpr std::size_t miniblocks = 4, miniblock = delta_block / miniblocks;

std::uint64_t zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

/// `count` (a multiple of 8) values of `width` bits each, the first in the lowest bits. Returns the end; may touch
/// eight bytes beyond it.
std::uint8_t* pack(const std::uint32_t* values, std::size_t count, unsigned width, std::uint8_t* out) {
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

/// The value whose number is I into its place among 32 of Width bits.
template <unsigned Width, std::size_t I>
void place(const std::uint64_t* values, std::uint64_t* words) {
  constexpr std::size_t at = I * Width / 64;
  constexpr unsigned shift = I * Width % 64;
  if constexpr (shift == 0)
    words[at] = values[I];
  else
    words[at] |= values[I] << shift;
  if constexpr (shift + Width > 64) words[at + 1] = values[I] >> (64 - shift);
}

/// A miniblock; all is known when it is compiled but the values. Returns the end.
template <unsigned Width>
std::uint8_t* pack_miniblock(const std::uint64_t* values, std::uint8_t* out) {
  if constexpr (Width != 0) {
    std::uint64_t words[(miniblock * Width + 63) / 64];
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (place<Width, I>(values, words), ...);
    }
    (std::make_index_sequence<miniblock>{});
    std::memcpy(out, words, miniblock * Width / 8);
  }
  return out + miniblock * Width / 8;
}

using Packer = std::uint8_t* (*)(const std::uint64_t*, std::uint8_t*);
constexpr auto packers = []<std::size_t... Width>(std::index_sequence<Width...>) {
  return std::array<Packer, sizeof...(Width)>{pack_miniblock<Width>...};
}
(std::make_index_sequence<65>{});

}  // namespace

void encode_delta_head(std::uint64_t count, std::int64_t first, Bytes& out) {
  put_leb128(out, delta_block);
  put_leb128(out, miniblocks);
  put_leb128(out, count);
  put_leb128(out, zigzag(first));
}

namespace {

/// Least differences of blocks beside each other are alike, too.
std::int64_t rounded_down(std::int64_t least) {
  if (least >= 0) return 0;
  const std::uint64_t size = std::uint64_t{0} - static_cast<std::uint64_t>(least);
  return static_cast<std::int64_t>(std::uint64_t{0} - std::bit_ceil(size));
}

/// Differences beside each other; the least of them.
TRACER_FOR_EACH_PROCESSOR
std::int64_t subtract_neighbours(const std::int64_t* values, std::size_t count, std::uint64_t* deltas) {
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < count; ++i) {
    // Unsigned: what overflows wraps, here and in readers.
    const std::uint64_t delta = static_cast<std::uint64_t>(values[i + 1]) - static_cast<std::uint64_t>(values[i]);
    deltas[i] = delta;
    least = std::min(least, static_cast<std::int64_t>(delta));
  }
  return least;
}

/// The same of 32 bit numbers.
TRACER_FOR_EACH_PROCESSOR
std::int64_t subtract_narrow_neighbours(const std::int64_t* values, std::size_t count, std::uint64_t* deltas) {
  std::int64_t least = INT64_MAX;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t delta =
        static_cast<std::int32_t>(static_cast<std::uint32_t>(values[i + 1]) - static_cast<std::uint32_t>(values[i]));
    deltas[i] = static_cast<std::uint64_t>(delta);
    least = std::min(least, delta);
  }
  return least;
}

/// A block above its least difference; which bits the differences of each miniblock have.
TRACER_FOR_EACH_PROCESSOR
void subtract_least(std::uint64_t* deltas, std::uint64_t least, std::uint64_t mask, std::uint64_t* bits) {
  for (std::size_t m = 0; m < miniblocks; ++m) {
    std::uint64_t any = 0;
    for (std::size_t i = m * miniblock; i < (m + 1) * miniblock; ++i) {
      deltas[i] = (deltas[i] - least) & mask;
      any |= deltas[i];
    }
    bits[m] = any;
  }
}

}  // namespace

void encode_delta_block(std::span<const std::int64_t> values, bool narrow, Widths each, Bytes& out) {
  const std::size_t count = values.size() - 1;
  std::array<std::uint64_t, delta_block> deltas;
  std::int64_t least = narrow ? subtract_narrow_neighbours(values.data(), count, deltas.data())
                              : subtract_neighbours(values.data(), count, deltas.data());
  if (each == Widths::bytes) least = rounded_down(least);
  std::fill(deltas.begin() + static_cast<std::ptrdiff_t>(count), deltas.end(), static_cast<std::uint64_t>(least));
  std::array<std::uint64_t, miniblocks> bits;
  subtract_least(deltas.data(), static_cast<std::uint64_t>(least), narrow ? 0xffffffffu : ~std::uint64_t{0},
                 bits.data());
  std::uint8_t packed[10 + miniblocks + delta_block * 8];
  std::uint8_t* to = packed;
  for (std::uint64_t rest = zigzag(least);; rest >>= 7) {
    *to++ = static_cast<std::uint8_t>(rest < 0x80 ? rest : rest | 0x80);
    if (rest < 0x80) break;
  }
  std::uint8_t* widths = to;
  to += miniblocks;
  for (std::size_t m = 0; m < miniblocks; ++m) {
    auto width = static_cast<unsigned>(std::bit_width(bits[m]));
    if (each == Widths::bytes) width = (width + 7) / 8 * 8;
    *widths++ = static_cast<std::uint8_t>(width);
    if (m * miniblock < count) to = packers[width](deltas.data() + m * miniblock, to);
  }
  out.insert(out.end(), packed, to);
}

TRACER_FOR_EACH_PROCESSOR
Range range_of(std::span<const std::int64_t> values) {
  Range range{values[0], values[0]};
  for (const std::int64_t value : values) {
    range.least = std::min(range.least, value);
    range.most = std::max(range.most, value);
  }
  return range;
}

void encode_alike_block(Bytes& out) {
  out.insert(out.end(), 1 + miniblocks, 0);  // the least difference, and the widths
}

void encode_delta(std::span<const std::int64_t> values, bool narrow, Widths widths, Bytes& out) {
  encode_delta_head(values.size(), values.empty() ? 0 : values.front(), out);
  for (std::size_t at = 1; at < values.size(); at += delta_block) {
    const auto block = values.subspan(at - 1, std::min(delta_block, values.size() - at) + 1);
    all_alike(block) ? encode_alike_block(out) : encode_delta_block(block, narrow, widths, out);
  }
}

namespace {

/// `indices`, and zeros up to a multiple of eight, of `width` bits each.
void pack_indices(std::span<const std::uint32_t> indices, unsigned width, Bytes& out) {
  const std::size_t whole = indices.size() / 8 * 8, before = out.size();
  const std::size_t packed = (indices.size() + 7) / 8 * width;
  out.resize(before + packed + 8);  // pack() may touch so many more
  std::uint8_t* to = out.data() + before;
  if (width == 8) {
    for (std::size_t i = 0; i < whole; ++i) to[i] = static_cast<std::uint8_t>(indices[i]);
    to += whole;
  } else if (width == 16) {
    for (std::size_t i = 0; i < whole; ++i, to += 2) {
      const auto narrow = static_cast<std::uint16_t>(indices[i]);
      std::memcpy(to, &narrow, sizeof narrow);
    }
  } else {
    to = pack(indices.data(), whole, width, to);
  }
  std::array<std::uint32_t, 8> last{};
  std::copy(indices.begin() + static_cast<std::ptrdiff_t>(whole), indices.end(), last.begin());
  if (whole != indices.size()) pack(last.data(), last.size(), width, to);
  out.resize(before + packed);
}

}  // namespace

void encode_indices(std::span<const std::uint32_t> indices, std::uint64_t size, Bytes& out) {
  const auto width = static_cast<unsigned>(std::bit_width(size < 2 ? std::uint64_t{1} : size - 1));
  out.push_back(static_cast<std::uint8_t>(width));
  const std::size_t count = indices.size();
  const auto is_run = [&](std::size_t from) {
    if (count - from < 8) return false;
    std::uint32_t differs = 0;
    for (std::size_t i = from; i < from + 8; ++i) differs |= indices[i] ^ indices[from];
    return differs == 0;
  };
  for (std::size_t at = 0; at < count;) {
    std::size_t end = at;
    if (is_run(at)) {
      for (end = at + 8; end < count && indices[end] == indices[at] && is_run(end);) end += 8;
      while (end < count && indices[end] == indices[at]) ++end;
      put_leb128(out, (end - at) << 1);
      for (unsigned byte = 0; byte < (width + 7) / 8; ++byte)
        out.push_back(static_cast<std::uint8_t>(indices[at] >> (8 * byte)));
    } else {
      do {  // by eight, until there is a run
        end = std::min(end + 8, count);
      } while (end < count && !is_run(end));
      put_leb128(out, (end - at + 7) / 8 << 1 | 1);
      pack_indices(indices.subspan(at, end - at), width, out);
    }
    at = end;
  }
}

}  // namespace tracer::parquet
