// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_core: a small core file, and a small program.
#include <filesystem>
#include <fstream>

#include "fuzz/small_program.hpp"
#include "ompd/core_file.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  std::ofstream{directory / "core", std::ios::binary} << tracer::test::core_file();
  tracer::test::write_small_program(directory / "program");
}
