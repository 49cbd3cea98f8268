// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_spool: rings of one and of several threads, empty and unusable ones, of processes that live and that do
// not.
#include <filesystem>
#include <fstream>

#include "fuzz/left_rings.hpp"

using namespace tracer;

namespace {

std::string packed(const std::string& owner, const std::string& rings) {
  const char size[] = {static_cast<char>(owner.size() & 0xff), static_cast<char>(owner.size() >> 8)};
  return std::string(size, sizeof size) + owner + rings;
}

std::string rings_of(std::uint32_t process_id) {
  constexpr std::size_t capacity = 4;
  std::string bytes = test::left_rings({7, 9}, process_id);
  test::add_left_ring(bytes, 0, capacity, std::vector<Record>(3));
  test::add_left_ring(bytes, raw::no_channel, capacity, {});
  test::add_left_ring(bytes, 1, capacity - 1, {});
  test::add_left_ring(bytes, 2, capacity, {});
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string owner{"/tmp/archive\0launch", 19};
  const std::string seeds[] = {
      packed(owner, rings_of(0)),
      packed("/tmp/archive", rings_of(1)),
      packed("", rings_of(0x7fffffff)),
      packed(owner, rings_of(0xffffffff)),
      packed(owner, test::left_rings({7, 9}, 1)),
      packed(owner, test::left_rings({7, 9}, 1, raw::format_version + 1)),
      packed("", ""),
  };
  std::filesystem::create_directories(argv[1]);
  for (std::size_t i = 0; i < std::size(seeds); ++i) {
    std::ofstream{std::filesystem::path{argv[1]} / std::to_string(i), std::ios::binary} << seeds[i];
  }
}
