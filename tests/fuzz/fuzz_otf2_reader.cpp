// SPDX-License-Identifier: BSD-3-Clause
// Any four files as an archive: reading and checking it ends in findings or an Error, nothing else.
#include "fuzz/packed_archive.hpp"
#include "support/scratch.hpp"
#include "tracer/check/check.hpp"
#include "tracer/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const tracer::test::Scratch scratch;
  std::filesystem::create_directories(scratch / "traces");
  tracer::test::unpack(data, size, scratch.path());
  try {
    tracer::check::check(scratch.path());
  } catch (const tracer::Error&) {
  }
  return 0;
}
