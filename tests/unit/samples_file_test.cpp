// SPDX-License-Identifier: BSD-3-Clause
// The file of samples beside an archive, in all its versions.
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "catch.hpp"
#include "formats/samples/samples.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("tracer-samples-file-" + random_name());
  ~Scratch() { std::filesystem::remove(path); }
};

samples::SampleSet two_samples() {
  samples::SampleSet set;
  set.period = 1'000'000;
  set.strings = {"", "kernel", "app.c"};
  set.frames = {{.function = 1, .file = 2, .line = 7}};
  set.stacks = {{0}};
  set.samples = {{.time = 5, .thread = 11, .stack = 0, .processor = 1},
                 {.time = 6,
                  .wait_id = 0x7fff'0000'1234,
                  .thread = 11,
                  .stack = 0,
                  .processor = 0,
                  .state = 0x41,
                  .source = samples::Source::signal}};
  set.pauses = {{.begin = 7, .end = 9, .thread = 11, .preempted = 1}};
  set.counters = {{.name = 1, .nanoseconds = 0}, {.name = 2, .nanoseconds = 1}};
  set.values = {100, 200, samples::not_counted, 400};
  return set;
}

template <typename T>
void put(std::ofstream& out, T value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

/// As version 1 was written: no strings but "", one frame, one stack, one sample, one pause.
void write_version_1(const std::filesystem::path& path) {
  std::ofstream out(path, std::ios::binary);
  out.write("TRCRSTK1", 8);
  for (const std::uint64_t value : {1000u, 0u, 1u, 0u, 1u}) put(out, value);  // period, lost, strings, "", frames
  for (const std::uint32_t value : {0u, 0u, 0u, 3u, 0u}) put(out, value);
  for (const std::uint64_t value : {1u, 1u}) put(out, value);  // stacks, frames of the first
  put(out, std::uint32_t{0});
  put(out, std::uint64_t{1});   // samples
  put(out, std::uint64_t{42});  // time
  for (const std::uint32_t value : {11u, 0u, 3u, 0u}) put(out, value);
  put(out, std::uint64_t{1});  // pauses
  for (const std::uint64_t value : {50u, 60u}) put(out, value);
  for (const std::uint32_t value : {11u, 1u}) put(out, value);
}

}  // namespace

TEST_CASE("states and wait ids of samples are read back as they were written") {
  Scratch scratch;
  samples::write(two_samples(), scratch.path);
  const samples::SampleSet read = samples::read(scratch.path);
  REQUIRE(read.samples.size() == 2);
  CHECK(read.samples[0].source == samples::Source::kernel);
  CHECK(read.samples[0].state == samples::state_not_asked);
  CHECK(read.samples[1].source == samples::Source::signal);
  CHECK(read.samples[1].state == 0x41);
  CHECK(read.samples[1].wait_id == 0x7fff'0000'1234);
  CHECK(read.samples[1].time == 6);
  REQUIRE(read.pauses.size() == 1);
  CHECK(read.pauses[0].end == 9);
  CHECK(read.strings == two_samples().strings);
  REQUIRE(read.counters.size() == 2);
  CHECK(read.counters[1].name == 2);
  CHECK(read.counters[1].nanoseconds == 1);
  CHECK(read.values == two_samples().values);
}

TEST_CASE("what has the name of an unfinished file of samples is replaced, not followed") {
  Scratch scratch, other;
  std::filesystem::create_symlink(other.path, samples::unfinished(scratch.path));
  samples::write(two_samples(), scratch.path);
  CHECK(samples::read(scratch.path).samples.size() == 2);
  CHECK_FALSE(is_there(other.path));
  CHECK_FALSE(is_there(samples::unfinished(scratch.path)));
}

TEST_CASE("a file of samples of version 2 has no counters") {
  Scratch scratch;
  samples::SampleSet old = two_samples();
  old.counters.clear();
  old.values.clear();
  samples::write(old, scratch.path);
  std::filesystem::resize_file(scratch.path, std::filesystem::file_size(scratch.path) - 16);  // the counts of both
  std::fstream(scratch.path, std::ios::in | std::ios::out | std::ios::binary).write("TRCRSTK2", 8);
  const samples::SampleSet read = samples::read(scratch.path);
  CHECK(read.samples.size() == 2);
  CHECK(read.samples[1].wait_id == 0x7fff'0000'1234);
  CHECK(read.counters.empty());
}

TEST_CASE("counters without a name or with too few values are refused") {
  Scratch scratch;
  samples::SampleSet set = two_samples();
  set.counters[0].name = 3;
  samples::write(set, scratch.path);
  CHECK_THROWS_AS(samples::read(scratch.path), Error);
  for (const std::size_t values : {0, 1, 2, 3, 5, 6}) {
    set = two_samples();
    set.values.resize(values);
    samples::write(set, scratch.path);
    CHECK_THROWS_AS(samples::read(scratch.path), Error);
  }
  set.counters.clear();
  samples::write(set, scratch.path);
  CHECK_THROWS_AS(samples::read(scratch.path), Error);
}

TEST_CASE("more counters, or a deeper stack, than there can be are refused") {
  Scratch scratch;
  samples::SampleSet set = two_samples();
  const auto with_counters = [&](std::size_t count) {
    set.counters.assign(count, {.name = 1, .nanoseconds = 0});
    set.values.assign(count * set.samples.size(), 1);
    samples::write(set, scratch.path);
  };
  with_counters(samples::most_counters_of_set);
  CHECK(samples::read(scratch.path).counters.size() == samples::most_counters_of_set);
  with_counters(samples::most_counters_of_set + 1);
  CHECK_THROWS_WITH(samples::read(scratch.path), ContainsSubstring("more counters"));
  set = two_samples();
  set.stacks[0].assign(samples::most_frames_of_stack + 1, 0);
  samples::write(set, scratch.path);
  CHECK_THROWS_WITH(samples::read(scratch.path), ContainsSubstring("more frames"));
}

TEST_CASE("a file of samples of version 1 has samples of which no state was asked") {
  Scratch scratch;
  write_version_1(scratch.path);
  const samples::SampleSet read = samples::read(scratch.path);
  REQUIRE(read.samples.size() == 1);
  CHECK(read.samples[0].time == 42);
  CHECK(read.samples[0].thread == 11);
  CHECK(read.samples[0].processor == 3);
  CHECK(read.samples[0].state == samples::state_not_asked);
  CHECK(read.samples[0].source == samples::Source::kernel);
  REQUIRE(read.pauses.size() == 1);
  CHECK(read.pauses[0].begin == 50);
}

TEST_CASE("a cut file of samples is refused, at any length") {
  Scratch scratch;
  samples::write(two_samples(), scratch.path);
  const auto size = std::filesystem::file_size(scratch.path);
  for (std::uintmax_t cut = 1; cut <= size; ++cut) {
    std::filesystem::resize_file(scratch.path, size - cut);
    CHECK_THROWS_AS(samples::read(scratch.path), Error);
  }
}

TEST_CASE("samples are read where they are asked for, and those of a file that was cut off are an error") {
  const Scratch scratch;
  const samples::SampleSet set = two_samples();
  samples::write(set, scratch.path);
  const samples::SampleFile file{scratch.path};
  REQUIRE(file.size() == 2);
  CHECK(file.words().stacks == set.stacks);
  CHECK(file.words().samples.empty());
  CHECK(file.range(0, 2).front().time == 5);
  CHECK(file.range(1, 2).front().wait_id == set.samples[1].wait_id);
  std::filesystem::resize_file(scratch.path, 60);
  CHECK_THROWS_AS(file.range(1, 2), Error);
}
