// SPDX-License-Identifier: BSD-3-Clause
// The CRC-32 of zlib (and of its modules for Python, Perl...): for short texts that other programs compare.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracer {

inline std::uint32_t crc32(std::string_view text) noexcept {
  std::uint32_t rest = 0xffffffffu;
  for (const char letter : text) {
    rest ^= static_cast<unsigned char>(letter);
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~rest;
}

}  // namespace tracer
