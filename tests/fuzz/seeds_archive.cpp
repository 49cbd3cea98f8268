// SPDX-License-Identifier: BSD-3-Clause
// Seeds of all targets that read archives: a small archive of each location of the sample.
#include <fstream>

#include "archive/sampled.hpp"
#include "formats/otf2/join/sampled_archive.hpp"
#include "fuzz/packed_archive.hpp"
#include "fuzz/packed_location.hpp"
#include "support/scratch.hpp"

int main(int argc, char** argv) {
  using namespace tracer;
  using namespace tracer::test;
  if (argc < 2) return 2;
  std::filesystem::create_directories(argv[1]);
  for (std::size_t location = 0; location < locations_of_sample; ++location)
    std::ofstream{std::filesystem::path{argv[1]} / std::to_string(location), std::ios::binary}
        << packed_location(make_sample(), location);
  const Scratch scratch;
  auto sample = sample_with_threads();
  sample.locations = {sample.locations[0]};
  sample.definitions.locations = {sample.definitions.locations[0]};
  write_archive(sample, scratch / "out");
  samples::SampleSet set = samples_of_sample();
  set.pauses.clear();  // the packed archive has one location
  otf2::write_sampled(otf2::Trace::open(scratch / "out"), set, scratch / "sampled");
  std::ofstream{std::filesystem::path{argv[1]} / "sampled", std::ios::binary} << pack(scratch / "sampled");
}
