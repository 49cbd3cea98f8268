// SPDX-License-Identifier: BSD-3-Clause
// A raw trace's three files as one input: a byte of flags, u32 size of the journal, u32 size of the trace, then
// journal, trace and rings. With flag 1 checksums are mended, so that what lies behind them is reached.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/checksum.hpp"

namespace tracer::test {

inline std::string file_bytes(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

inline std::string pack_raw_trace(const std::filesystem::path& directory, char flags) {
  const std::string journal = file_bytes(directory / "journal"), trace = file_bytes(directory / "trace");
  const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(journal.size()), static_cast<std::uint32_t>(trace.size())};
  return std::string(1, flags) + std::string(reinterpret_cast<const char*>(sizes), sizeof sizes) + journal + trace +
         file_bytes(directory / "rings");
}

inline void mend_journal(std::string& bytes) {
  for (std::size_t at = sizeof(raw::FileHeader); bytes.size() - std::min(at, bytes.size()) >= 16;) {
    std::uint32_t head[2];
    std::memcpy(head, bytes.data() + at, sizeof head);
    if (head[1] > bytes.size() - at - 16) return;
    const std::uint64_t check = checksum(bytes.data() + at + 16, head[1], (std::uint64_t{head[0]} << 32) | head[1]);
    std::memcpy(bytes.data() + at + 8, &check, sizeof check);
    at += 16 + head[1];
  }
}

inline void mend_trace(std::string& bytes) {
  constexpr std::size_t header_bytes = sizeof(raw::SegmentHeader);
  for (std::size_t at = sizeof(raw::FileHeader); bytes.size() - std::min(at, bytes.size()) >= header_bytes;) {
    raw::SegmentHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t payload = std::min<std::size_t>(header.payload_bytes, bytes.size() - at - header_bytes);
    header.payload_check = checksum(bytes.data() + at + header_bytes, payload);
    header.check = checksum(&header, offsetof(raw::SegmentHeader, check));
    std::memcpy(bytes.data() + at, &header, sizeof header);
    at += header_bytes + payload;
  }
}

/// False when the input is too short to be one. `flags` gets the first byte.
inline bool unpack_raw_trace(const std::uint8_t* data, std::size_t size, const std::filesystem::path& directory,
                             unsigned& flags) {
  if (size < 9) return false;
  std::uint32_t sizes[2];
  std::memcpy(sizes, data + 1, sizeof sizes);
  flags = data[0];
  std::string rest(reinterpret_cast<const char*>(data) + 9, size - 9);
  std::string journal = rest.substr(0, sizes[0]);
  rest.erase(0, journal.size());
  std::string trace = rest.substr(0, sizes[1]);
  rest.erase(0, trace.size());
  if (flags & 1) {
    mend_journal(journal);
    mend_trace(trace);
  }
  std::ofstream{directory / "journal", std::ios::binary} << journal;
  std::ofstream{directory / "trace", std::ios::binary} << trace;
  std::ofstream{directory / "rings", std::ios::binary} << rest;
  return true;
}

}  // namespace tracer::test
