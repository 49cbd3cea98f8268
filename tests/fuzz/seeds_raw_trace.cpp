// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_raw_trace: a small run of two threads, finished and with rings, plain and with mended checksums.
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/packed_raw_trace.hpp"
#include "fuzz/small_raw_trace.hpp"
#include "support/scratch.hpp"

using namespace tracer;

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const test::Scratch scratch;
  test::write_small_raw_trace(scratch.path());
  std::filesystem::create_directories(argv[1]);
  for (const char flags : {'\0', '\1', '\2', '\3'}) {
    std::ofstream{std::filesystem::path{argv[1]} / std::to_string(flags), std::ios::binary}
        << test::pack_raw_trace(scratch.path(), flags);
  }
}
