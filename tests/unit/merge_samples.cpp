// SPDX-License-Identifier: BSD-3-Clause
// The samples of a job's processes as those of one archive.
#include <cstdint>
#include <filesystem>
#include <string>

#include "catch.hpp"
#include "formats/samples/samples.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/merge/samples_of_job.hpp"

namespace tracer {
namespace {

/// A directory with `count` samples of thread 11, one each `period` ns.
std::filesystem::path process(const test::Scratch& scratch, const char* name, std::uint64_t period,
                              std::uint64_t count) {
  samples::SampleSet set;
  set.period = period;
  set.strings = {"", "burn"};
  set.frames = {{.function = 1}};
  set.stacks = {{0}};
  for (std::uint64_t i = 0; i < count; ++i) set.samples.push_back({.time = i * period, .thread = 11, .stack = 0});
  std::filesystem::create_directory(scratch / name);
  samples::write(set, scratch / name / samples::file_name);
  return scratch / name;
}

TEST_CASE("the samples of a job stand for as much processor time as those of its processes") {
  const test::Scratch scratch;
  SamplesOfJob job;
  job.add(process(scratch, "few", 10'000'000, 30), {});
  job.add(process(scratch, "many", 4'000'000, 90), {});
  job.add(process(scratch, "none", 1'000'000'000, 0), {});
  job.write(scratch.path());
  const samples::SampleSet all = samples::read(scratch / samples::file_name);
  REQUIRE(all.samples.size() == 120);
  CHECK(all.period * all.samples.size() == 30 * 10'000'000 + 90 * 4'000'000);
  CHECK(all.samples.front().thread != all.samples.back().thread);
  CHECK(job.periods_text().find("4 ms of processor time in one process and for 10 ms in another") != std::string::npos);
}

TEST_CASE("the samples of a process whose counters are too many beside those of others are refused") {
  const test::Scratch scratch;
  const auto with_counters = [&](const char* name, std::uint32_t first) {
    const std::filesystem::path directory = process(scratch, name, 1'000'000, 2);
    samples::SampleSet set = samples::read(directory / samples::file_name);
    for (std::uint32_t c = first; c < first + 40; ++c) {
      set.counters.push_back({static_cast<std::uint32_t>(set.strings.size()), 0});
      set.strings.push_back("counter " + std::to_string(c));
    }
    set.values.assign(set.counters.size() * set.samples.size(), first);
    samples::write(set, directory / samples::file_name);
    return directory;
  };
  SamplesOfJob job;
  CHECK(job.add(with_counters("a", 0), {}).size() == 1);
  CHECK_THROWS_WITH(job.add(with_counters("b", 100), {}), ContainsSubstring("more than 64"));
  CHECK(job.add(with_counters("c", 20), {}).size() == 1);
  job.write(scratch.path());
  const samples::SampleSet all = samples::read(scratch / samples::file_name);
  CHECK(all.samples.size() == 4);
  CHECK(all.counters.size() == 60);
}

TEST_CASE("processes that were sampled at one rate need no word about it") {
  const test::Scratch scratch;
  SamplesOfJob job;
  job.add(process(scratch, "a", 1'000'000, 3), {});
  job.add(process(scratch, "b", 1'050'000, 3), {});
  CHECK(job.periods_text().empty());
}

}  // namespace
}  // namespace tracer
