// SPDX-License-Identifier: BSD-3-Clause
// LEB128: seven bits of a number in each byte, the lowest first.
#pragma once

#include <cstdint>

namespace tracer {

/// Appends it; `Bytes`: a string, or a vector of bytes.
template <class Bytes>
void put_leb128(Bytes& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<typename Bytes::value_type>(value | 0x80));
  bytes.push_back(static_cast<typename Bytes::value_type>(value));
}

}  // namespace tracer
