// SPDX-License-Identifier: BSD-3-Clause
// The CRC-32 of zlib, which other programs compute of the same bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tracer {

/// `before`: that of the bytes in front of these; 0: there are none.
inline std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0) noexcept {
  static constexpr auto of_byte = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      made[i] = i;
      for (int bit = 0; bit < 8; ++bit) made[i] = (made[i] >> 1) ^ ((made[i] & 1) != 0 ? 0xedb88320u : 0);
    }
    return made;
  }();
  std::uint32_t sum = ~before;
  for (const char byte : bytes) sum = of_byte[(sum ^ static_cast<unsigned char>(byte)) & 0xff] ^ (sum >> 8);
  return ~sum;
}

}  // namespace tracer
