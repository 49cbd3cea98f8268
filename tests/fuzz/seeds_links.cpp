// SPDX-License-Identifier: BSD-3-Clause
// Seed of the target that reads links.
#include <filesystem>
#include <fstream>

#include "fuzz/linked_archive.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  std::ofstream{std::filesystem::path{argv[1]} / "links", std::ios::binary} << tracer::test::right_links();
}
