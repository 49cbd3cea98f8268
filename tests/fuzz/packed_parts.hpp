// SPDX-License-Identifier: BSD-3-Clause
// Two parts of a job as one input: a byte of flags, u32 size of the first one, then both. With flag 1 the first is a
// raw trace, with flag 2 the second; else they are archives of one location.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "fuzz/packed_archive.hpp"
#include "fuzz/packed_raw_trace.hpp"

namespace tracer::test {

inline std::string pack_parts(char flags, const std::string& first, const std::string& second) {
  const auto size = static_cast<std::uint32_t>(first.size());
  return std::string(1, flags) + std::string(reinterpret_cast<const char*>(&size), sizeof size) + first + second;
}

/// False when the input is too short to be one.
inline bool unpack_part(const std::uint8_t* data, std::size_t size, bool is_raw,
                        const std::filesystem::path& directory) {
  std::filesystem::remove_all(directory);
  if (is_raw) {
    unsigned flags = 0;
    std::filesystem::create_directories(directory / "raw");
    return unpack_raw_trace(data, size, directory / "raw", flags);
  }
  std::filesystem::create_directories(directory / "traces");
  unpack(data, size, directory);
  return true;
}

inline bool unpack_parts(const std::uint8_t* data, std::size_t size, const std::filesystem::path& first,
                         const std::filesystem::path& second) {
  constexpr std::size_t head = 5;
  if (size < head) return false;
  std::uint32_t wanted = 0;
  std::memcpy(&wanted, data + 1, sizeof wanted);
  const std::size_t length = std::min<std::size_t>(wanted, size - head);
  return unpack_part(data + head, length, (data[0] & 1) != 0, first) &&
         unpack_part(data + head + length, size - head - length, (data[0] & 2) != 0, second);
}

}  // namespace tracer::test
