// SPDX-License-Identifier: BSD-3-Clause
// The encodings of Parquet's pages, decoded by what the specification says.
#include "formats/parquet/encode.hpp"

#include <cstring>
#include <random>

#include "tests/catch.hpp"

using tracer::parquet::Bytes;
using tracer::parquet::encode_delta;
using tracer::parquet::encode_indices;
using tracer::parquet::Widths;

namespace {

struct Reader {
  const Bytes& bytes;
  std::size_t at = 0;
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t byte = bytes.at(at++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }
  std::int64_t zigzag() {
    const std::uint64_t value = varint();
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  std::uint64_t bits(std::size_t from, std::size_t index, unsigned width) const {
    std::uint64_t value = 0;
    for (unsigned bit = 0; bit < width; ++bit) {
      const std::size_t where = index * width + bit;
      value |= std::uint64_t{bytes.at(from + where / 8) >> (where % 8) & 1u} << bit;
    }
    return value;
  }
};

std::vector<std::int64_t> decode_delta(const Bytes& bytes, bool narrow) {
  Reader in{bytes};
  const std::uint64_t block = in.varint(), miniblocks = in.varint(), count = in.varint();
  std::vector<std::int64_t> values;
  std::uint64_t value = static_cast<std::uint64_t>(in.zigzag());
  if (count != 0) values.push_back(static_cast<std::int64_t>(value));
  while (values.size() < count) {
    const auto least = static_cast<std::uint64_t>(in.zigzag());
    const std::size_t widths = in.at;
    in.at += miniblocks;
    for (std::size_t m = 0; m < miniblocks && values.size() < count; ++m) {
      const unsigned width = bytes.at(widths + m);
      for (std::size_t i = 0; i < block / miniblocks && values.size() < count; ++i) {
        value += least + in.bits(in.at, i, width);
        if (narrow) value = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
        values.push_back(static_cast<std::int64_t>(value));
      }
      in.at += width * (block / miniblocks) / 8;
    }
  }
  REQUIRE(in.at == bytes.size());
  return values;
}

std::vector<std::uint32_t> decode_indices(const Bytes& bytes, std::size_t count) {
  Reader in{bytes};
  const unsigned width = bytes.at(in.at++);
  std::vector<std::uint32_t> values;
  while (values.size() < count) {
    const std::uint64_t head = in.varint();
    if ((head & 1) == 0) {
      std::uint32_t value = 0;
      for (unsigned byte = 0; byte < (width + 7) / 8; ++byte) value |= std::uint32_t{bytes.at(in.at++)} << (8 * byte);
      values.insert(values.end(), head >> 1, value);
    } else {
      for (std::size_t i = 0; i < (head >> 1) * 8; ++i)
        values.push_back(static_cast<std::uint32_t>(in.bits(in.at, i, width)));
      in.at += (head >> 1) * width;
    }
  }
  REQUIRE(in.at == bytes.size());
  REQUIRE(values.size() - count < 8);
  values.resize(count);
  return values;
}

}  // namespace

TEST_CASE("packed differences are the numbers that were given, whatever their size") {
  std::mt19937_64 random{7};
  for (const bool narrow : {false, true}) {
    for (const std::size_t count : {0, 1, 2, 32, 33, 128, 129, 130, 1000}) {
      for (const unsigned shift : {63u, 40u, 31u, 20u, 3u, 0u}) {
        std::vector<std::int64_t> values;
        for (std::size_t i = 0; i < count; ++i) {
          auto value = static_cast<std::int64_t>(random() >> shift);
          if (i % 2 != 0) value = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value));
          if (narrow) value = static_cast<std::int32_t>(value);
          values.push_back(value);
        }
        for (const Widths widths : {Widths::bits, Widths::bytes}) {
          Bytes bytes;
          encode_delta(values, narrow, widths, bytes);
          REQUIRE(decode_delta(bytes, narrow) == values);
        }
      }
    }
  }
}

TEST_CASE("runs and packed indices are the indices that were given") {
  std::mt19937_64 random{11};
  for (const std::uint64_t size : {1u, 2u, 3u, 200u, 256u, 40'000u, 65'536u, 70'000u, 1u << 24}) {
    for (int round = 0; round < 40; ++round) {
      std::vector<std::uint32_t> indices;
      while (indices.size() < 500)
        indices.insert(indices.end(), random() % 3 == 0 ? random() % 40 : 1,
                       static_cast<std::uint32_t>(random() % size));
      indices.resize(1 + random() % indices.size());
      Bytes bytes;
      encode_indices(indices, size, bytes);
      REQUIRE(decode_indices(bytes, indices.size()) == indices);
    }
  }
}
