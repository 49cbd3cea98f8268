// SPDX-License-Identifier: BSD-3-Clause
// The stream of samples in a raw trace.
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/samples.hpp"
#include "tests/support/no_file_room.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

struct Scratch {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("tracer-samples-" + random_name());
  ~Scratch() { std::filesystem::remove(path); }
};

raw::SampleEntry sample_of(ChannelId channel, Nanoseconds time, std::size_t frames) {
  raw::SampleEntry entry{};
  entry.kind = raw::SampleKind::sample;
  entry.channel = channel;
  entry.time = time;
  entry.frames = static_cast<std::uint16_t>(frames);
  return entry;
}

void write_three(const std::filesystem::path& path) {
  raw::SampleWriter writer;
  writer.create(OwnFile::create(path), {1, 2});
  const std::vector<std::uint64_t> frames{0x10, 0x20, 0x30};
  REQUIRE(writer.append(sample_of(0, 5, 3), frames) == 0);
  raw::SampleEntry out{};
  out.kind = raw::SampleKind::switched_out;
  out.channel = 1;
  out.time = 6;
  out.reason = raw::preempted;
  REQUIRE(writer.append(out, {}) == 0);
  REQUIRE(writer.append(sample_of(0, 7, 0), {}) == 0);
  REQUIRE(writer.flush() == 0);
}

}  // namespace

TEST_CASE("a file of samples that has no room for its begin is none") {
  const Scratch scratch;
  CHECK(test::holds_without_file_room([&] {
    raw::SampleWriter writer;
    try {
      writer.create(OwnFile::create(scratch.path), {1, 2});
    } catch (const Error&) {
      return true;
    }
    return false;
  }));
}

TEST_CASE("samples are read back as they were written") {
  Scratch scratch;
  write_three(scratch.path);
  std::vector<std::pair<raw::SampleEntry, std::vector<std::uint64_t>>> seen;
  const auto rest =
      raw::read_samples(scratch.path, [&](const raw::SampleEntry& entry, std::span<const std::uint64_t> f) {
        seen.emplace_back(entry, std::vector<std::uint64_t>(f.begin(), f.end()));
      });
  CHECK(rest == 0);
  REQUIRE(seen.size() == 3);
  CHECK(seen[0].second == std::vector<std::uint64_t>{0x10, 0x20, 0x30});
  CHECK(seen[1].first.kind == raw::SampleKind::switched_out);
  CHECK(seen[1].first.reason == raw::preempted);
  CHECK(seen[2].first.time == 7);
}

TEST_CASE("a file of samples that ends in the middle gives what is whole") {
  Scratch scratch;
  write_three(scratch.path);
  const auto size = std::filesystem::file_size(scratch.path);
  for (std::uintmax_t cut = 1; cut <= size; ++cut) {
    std::filesystem::resize_file(scratch.path, size - cut);
    std::size_t seen = 0;
    raw::read_samples(scratch.path, [&](const raw::SampleEntry&, std::span<const std::uint64_t>) { ++seen; });
    CHECK(seen <= 2);
  }
}

TEST_CASE("an entry of an unknown kind ends the reading of samples") {
  Scratch scratch;
  write_three(scratch.path);
  {
    std::fstream file(scratch.path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(sizeof(raw::FileHeader) + offsetof(raw::SampleEntry, kind));
    file.put('\x77');
  }
  std::size_t seen = 0;
  const auto rest =
      raw::read_samples(scratch.path, [&](const raw::SampleEntry&, std::span<const std::uint64_t>) { ++seen; });
  CHECK(seen == 0);
  CHECK(rest > 0);
}

TEST_CASE("a sample whose state was asked keeps it before its frames, and needs it") {
  Scratch scratch;
  raw::SampleWriter writer;
  writer.create(OwnFile::create(scratch.path), {1, 2});
  raw::SampleEntry entry = sample_of(3, 8, 4);
  entry.kind = raw::SampleKind::asked;
  const std::vector<std::uint64_t> words{0x41, 0x7fff00001234, 0x10, 0x20 | raw::frame_of_runtime};
  REQUIRE(writer.append(entry, words) == 0);
  entry.frames = 1;
  REQUIRE(writer.append(entry, std::vector<std::uint64_t>{0x41}) == 0);
  REQUIRE(writer.flush() == 0);
  std::vector<std::vector<std::uint64_t>> seen;
  const auto rest = raw::read_samples(scratch.path, [&](const raw::SampleEntry& e, std::span<const std::uint64_t> f) {
    CHECK(e.kind == raw::SampleKind::asked);
    seen.emplace_back(f.begin(), f.end());
  });
  CHECK(seen == std::vector<std::vector<std::uint64_t>>{words});
  CHECK(rest == sizeof(raw::SampleEntry) + sizeof(std::uint64_t));
}

TEST_CASE("values of counters come before the frames, so many as the entry says") {
  Scratch scratch;
  raw::SampleWriter writer;
  writer.create(OwnFile::create(scratch.path), {1, 2});
  raw::SampleEntry told{};
  told.kind = raw::SampleKind::counters;
  told.frames = 2;
  REQUIRE(writer.append(told, std::vector<std::uint64_t>{0, 1}) == 0);
  raw::SampleEntry entry = sample_of(3, 8, 3);
  entry.kind = raw::SampleKind::counted;
  entry.reason = 2;
  const std::vector<std::uint64_t> words{1000, raw::not_counted, 0x10};
  REQUIRE(writer.append(entry, words) == 0);
  entry.reason = 4;  // more than there are words
  REQUIRE(writer.append(entry, words) == 0);
  REQUIRE(writer.flush() == 0);
  std::vector<std::vector<std::uint64_t>> seen;
  const auto rest = raw::read_samples(scratch.path, [&](const raw::SampleEntry&, std::span<const std::uint64_t> f) {
    seen.emplace_back(f.begin(), f.end());
  });
  CHECK(seen == std::vector<std::vector<std::uint64_t>>{{0, 1}, words});
  CHECK(rest == sizeof(raw::SampleEntry) + 3 * sizeof(std::uint64_t));
}

TEST_CASE("counters have the names of perf, each once, and at most eight") {
  CHECK(parse_counters("instructions,cycles,instructions") == std::vector<CounterId>{1, 0});
  CHECK(!parse_counters("instructions,no-such-counter"));
  CHECK(!parse_counters("instructions,"));
  std::string all;
  for (const CounterKind& kind : counters()) {
    REQUIRE(parse_counters(kind.name).has_value());
    all += (all.empty() ? "" : ",") + std::string{kind.name};
  }
  CHECK(!parse_counters(all));
}
