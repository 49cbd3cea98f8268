// SPDX-License-Identifier: BSD-3-Clause
// A small archive of one location as one input: the lengths of its four files (two bytes each), and they.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tracer::test {

inline constexpr std::array<const char*, 4> packed_files{"traces.otf2", "traces.def", "traces/0.evt", "traces/0.def"};

inline std::string pack(const std::filesystem::path& directory) {
  std::string lengths, contents;
  for (const char* name : packed_files) {
    std::ifstream in{directory / name, std::ios::binary};
    const std::string bytes{std::istreambuf_iterator<char>{in}, {}};
    lengths += static_cast<char>(bytes.size() & 0xff);
    lengths += static_cast<char>((bytes.size() >> 8) & 0xff);
    contents += bytes;
  }
  return lengths + contents;
}

inline void unpack(const std::uint8_t* data, std::size_t size, const std::filesystem::path& directory) {
  std::size_t at = 2 * packed_files.size();
  for (std::size_t i = 0; i < packed_files.size(); ++i) {
    const std::size_t wanted = size >= at ? data[2 * i] | std::size_t{data[2 * i + 1]} << 8 : 0;
    const std::size_t length = size > at ? std::min(wanted, size - at) : 0;
    std::ofstream out{directory / packed_files[i], std::ios::binary | std::ios::trunc};
    out.write(reinterpret_cast<const char*>(data) + at, static_cast<std::streamsize>(length));
    at += length;
  }
}

}  // namespace tracer::test
