// SPDX-License-Identifier: BSD-3-Clause
// Seeds of fuzz_merge: two archives, two raw traces, and one of each.
#include <filesystem>
#include <fstream>
#include <string>

#include "archive/sample.hpp"
#include "fuzz/packed_location.hpp"
#include "fuzz/packed_parts.hpp"
#include "fuzz/small_raw_trace.hpp"
#include "support/scratch.hpp"

int main(int argc, char** argv) {
  using namespace tracer::test;
  if (argc < 2) return 2;
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  const auto write_seed = [&](const char* name, const std::string& bytes) {
    std::ofstream{directory / name, std::ios::binary} << bytes;
  };
  const Scratch scratch;
  write_small_raw_trace(scratch.path());
  const std::string first = packed_location(make_sample(), 0), second = packed_location(make_sample(), 1),
                    raw = pack_raw_trace(scratch.path(), 0), mended = pack_raw_trace(scratch.path(), 1);
  write_seed("archives", pack_parts(0, first, second));
  write_seed("raw", pack_parts(3, raw, raw));
  write_seed("mended", pack_parts(3, mended, mended));
  write_seed("mixed", pack_parts(2, first, mended));
}
