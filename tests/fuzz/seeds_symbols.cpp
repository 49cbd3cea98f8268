// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_symbols: a small library with debug information.
#include <filesystem>
#include <fstream>

#include "fuzz/small_program.hpp"

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  tracer::test::write_small_program(directory / "program");
}
