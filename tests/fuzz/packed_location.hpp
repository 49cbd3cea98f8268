// SPDX-License-Identifier: BSD-3-Clause
// One location of the sample as an archive of its own, packed.
#pragma once

#include <cstddef>
#include <string>

#include "archive/sample.hpp"
#include "fuzz/packed_archive.hpp"
#include "support/scratch.hpp"

namespace tracer::test {

inline constexpr std::size_t locations_of_sample = 3;

inline std::string packed_location(SampleTrace sample, std::size_t location) {
  const Scratch scratch;
  sample.locations = {sample.locations[location]};
  sample.definitions.locations = {sample.definitions.locations[location]};
  write_archive(sample, scratch / "out");
  return pack(scratch / "out");
}

}  // namespace tracer::test
