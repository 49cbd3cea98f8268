// SPDX-License-Identifier: BSD-3-Clause
// Seed of the target that reads indexes.
#include <filesystem>
#include <fstream>

#include "fuzz/indexed_archive.hpp"
#include "support/scratch.hpp"

int main(int argc, char** argv) {
  using namespace tracer::test;
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  const Scratch scratch;
  write_job(scratch / "job");
  const std::string bytes = index_of(scratch / "job");
  std::ofstream{std::filesystem::path{argv[1]} / "job", std::ios::binary} << bytes;
}
