// SPDX-License-Identifier: BSD-3-Clause
// The checksum of raw files: finds truncated, flipped and misplaced bytes. Not a defence against forgery.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tracer {

/// Four multiplicative lanes over 32 bytes at a time, then an avalanche. Part of the raw format: never change
/// without raising raw::format_version.
inline std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t seed = 0) noexcept {
  constexpr std::uint64_t p1 = 0x9e3779b185ebca87u, p2 = 0xc2b2ae3d27d4eb4fu, p3 = 0x165667b19e3779f9u;
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t lane[4] = {seed + p1, seed ^ p2, seed + p3, seed - p1};
  std::size_t left = size;
  const auto word = [](const unsigned char* from) {
    std::uint64_t value;
    std::memcpy(&value, from, 8);
    return value;
  };
  for (; left >= 32; left -= 32, at += 32) {
    for (int i = 0; i < 4; ++i) lane[i] = std::rotl(lane[i] + word(at + 8 * i) * p2, 31) * p1;
  }
  std::uint64_t hash = size * p3;
  for (const auto value : lane) hash = (hash ^ std::rotl(value * p2, 27)) * p1 + p3;
  for (; left >= 8; left -= 8, at += 8) hash = std::rotl(hash ^ word(at) * p2, 27) * p1 + p3;
  for (; left > 0; --left, ++at) hash = std::rotl(hash ^ *at * p3, 11) * p1;
  hash ^= hash >> 33;
  hash *= p2;
  hash ^= hash >> 29;
  return hash;
}

}  // namespace tracer
