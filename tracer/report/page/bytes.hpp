// SPDX-License-Identifier: BSD-3-Clause
// Numbers in the bytes that the page decodes.
#pragma once

#include <cstdint>
#include <string>

namespace tracer::report {

/// LEB128: seven bits a byte, the lowest first.
inline void append(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
}

}  // namespace tracer::report
