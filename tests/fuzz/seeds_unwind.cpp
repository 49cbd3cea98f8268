// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_unwind: tables as compilers write them, and one with expressions as that of a procedure linkage table.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tracer/sample/unwind.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;
constexpr std::uint8_t return_column = tracer::sample::register_count - 1, stack = tracer::sample::stack_register;

Bytes table(std::uint8_t wanted, const std::string& augmentation, const Bytes& initial, const Bytes& own) {
  Bytes common{0, 0, 0, 0, 1};
  common.insert(common.end(), augmentation.begin(), augmentation.end());
  common.insert(common.end(), {0, 1, 0x78, return_column, 1, 0x1b});
  common.insert(common.end(), initial.begin(), initial.end());
  Bytes all{static_cast<std::uint8_t>(common.size()), wanted};
  all.insert(all.end(), common.begin(), common.end());
  all.insert(all.end(), 9, 0);
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  const Bytes start{0x0c, stack, 8, static_cast<std::uint8_t>(0x80 | return_column), 1};
  const Bytes seeds[] = {
      table(40, "zR", start, {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x50, 0xc6, 0x0c, stack, 8, 0x41, 0x0b}),
      table(9, "zR", start,
            {0x0e, 16, 0x46, 0x0e, 24, 0x4a, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}),
      table(0, "zRS", start,
            {0x16, stack, 3, 0x77, 0xa0, 0x01, 0x10, 3, 4, 0x77, 0x28, 0x06, 0x06, 0x09, 5, 6, 0x05, 2, 3}),
      table(255, "zR", start, {0x02, 9, 0x03, 1,    1,    0x04, 1, 0, 0,    0, 0x11, 3,    0x7e,
                               0x12, 6, 0x70, 0x13, 0x7d, 0x14, 4, 2, 0x15, 5, 0x7e, 0x2e, 16})};
  int number = 0;
  for (const Bytes& seed : seeds)
    std::ofstream{std::filesystem::path{argv[1]} / std::to_string(number++), std::ios::binary}.write(
        reinterpret_cast<const char*>(seed.data()), static_cast<std::streamsize>(seed.size()));
}
