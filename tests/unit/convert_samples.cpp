// SPDX-License-Identifier: BSD-3-Clause
// Samples of a raw trace become those of an archive: whose code an address is, and where a stack ends.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/samples.hpp"
#include "formats/samples/samples.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/convert/samples.hpp"
#include "tracer/journal.hpp"
#include "tracer/time.hpp"

using namespace tracer;
using Addresses = std::vector<std::uint64_t>;
using Lines = std::vector<std::string>;

namespace {

/// Addresses from 0x500000 to 0x5fffff are a program's, those from 2^52 on a library's.
std::vector<translate::SourcePosition> positions_of(const Addresses& addresses) {
  std::vector<translate::SourcePosition> positions;
  for (const std::uint64_t address : addresses) {
    translate::SourcePosition& position = positions.emplace_back();
    const bool is_program = address >= 0x500000 && address < 0x600000, is_moved = address >= std::uint64_t{1} << 52;
    if (is_program || is_moved) position.module = is_program ? "/bin/program" : "/lib/plugin.so";
    position.offset = address & 0xffff;
  }
  return positions;
}

struct Entry {
  raw::SampleKind kind;
  Nanoseconds time;
  std::uint32_t reason = raw::slept;
  Addresses words{};
};
using Entries = std::vector<std::vector<Entry>>;

/// The samples of a raw trace, by channel.
void write_entries(const std::filesystem::path& raw_directory, const Entries& channels) {
  std::filesystem::create_directories(raw_directory);
  raw::SampleWriter writer;
  writer.create(OwnFile::create(raw_directory / "samples"), {1, 2});
  raw::SampleEntry entry{};
  for (; entry.channel < channels.size(); ++entry.channel)
    for (const Entry& one : channels[entry.channel]) {
      entry.kind = one.kind;
      entry.time = one.time;
      entry.reason = one.reason;
      entry.frames = static_cast<std::uint16_t>(one.words.size());
      REQUIRE(writer.append(entry, one.words) == 0);
    }
  REQUIRE(writer.flush() == 0);
  writer.close();
}

/// Samples of one thread, at 10, 20, ...
samples::SampleSet converted(const Journal& journal, const std::vector<Addresses>& samples,
                             const translate::Symbolizer& symbolize) {
  const test::Scratch scratch;
  std::vector<Entry> entries;
  for (const Addresses& frames : samples)
    entries.push_back({raw::SampleKind::sample, 10 * (entries.size() + 1), raw::slept, frames});
  write_entries(scratch / "raw", {entries});
  std::vector<std::string> damage;
  REQUIRE(convert_samples(scratch / "raw", scratch.path(), journal, symbolize, 1000, damage) == samples.size());
  REQUIRE(damage.empty());
  return samples::read(scratch / samples::file_name);
}

/// Their stacks, outermost first.
Lines stacks_of(const Journal& journal, const std::vector<Addresses>& samples) {
  const samples::SampleSet set = converted(journal, samples, positions_of);
  Lines lines;
  for (const samples::Sample& sample : set.samples) {
    std::string line;
    for (const std::uint32_t frame : set.stacks[sample.stack])
      line += (line.empty() ? "" : " > ") + set.strings[set.frames[frame].function];
    lines.push_back(line);
  }
  return lines;
}

/// Of each thread from when to when; the archive ends at 1000.
Lines pauses_of(const Journal& journal, const Entries& channels) {
  const test::Scratch scratch;
  write_entries(scratch / "raw", channels);
  std::vector<std::string> damage;
  REQUIRE(convert_samples(scratch / "raw", scratch.path(), journal, positions_of, 1000, damage) == 0);
  REQUIRE(damage.empty());
  Lines lines;
  if (!std::filesystem::exists(scratch / samples::file_name)) return lines;
  for (const samples::Pause& pause : samples::read(scratch / samples::file_name).pauses)
    lines.push_back(std::to_string(pause.thread) + ": " + std::to_string(pause.begin) + " to " +
                    std::to_string(pause.end) + (pause.preempted != 0 ? ", preempted" : ""));
  return lines;
}

Journal journal_of_a_thread() {
  Journal journal;
  journal.run.clock = ClockKind::monotonic;
  journal.channels.resize(1);
  journal.channels[0].os_thread_id = 11;
  return journal;
}

}  // namespace

TEST_CASE("what frame pointers lead to where code keeps none is no part of a stack") {
  Journal journal = journal_of_a_thread();
  const std::vector<Addresses> samples{{0x500010, 0x500020, 0, 0x500030},  // nowhere, and what is around it
                                       {0x7000010, 0x500020, 0x500030},    // an innermost one is where it was
                                       {0x500010, 0x7000020, 0x500030},    // a compiler's at run time
                                       {0x500010, 0x2ffffffff, 0x500030, 0x70}};
  const std::string innermost = "program@0x11";
  CHECK(stacks_of(journal, samples) == Lines{"program@0x20 > " + innermost, "program@0x30 > program@0x20 > @0x7000011",
                                             "program@0x30 > @0x7000020 > " + innermost,
                                             "program@0x30 > @0x2ffffffff > " + innermost});
  journal.facts["RUN::CODE_OF_NO_MODULE"] = "7000000-7001000,ffffffffff600000-ffffffffff601000";
  CHECK(stacks_of(journal, samples) == Lines{"program@0x20 > " + innermost, "program@0x30 > program@0x20 > @0x7000011",
                                             "program@0x30 > @0x7000020 > " + innermost, innermost});
  journal.facts["RUN::CODE_OF_NO_MODULE"] = "";
  CHECK(stacks_of(journal, samples)[2] == innermost);
}

TEST_CASE("an address is the library's that was there at the time of the sample") {
  Journal journal = journal_of_a_thread();
  const std::uint64_t distance = (std::uint64_t{1} << 52) - 0x500000;
  journal.moved_code = {{0x500000, 0x501000, 15, 25, distance}};
  CHECK(stacks_of(journal, {{0x500010, 0x500020}, {0x500010, 0x500020}, {0x500010, 0x500020}}) ==
        Lines{"program@0x20 > program@0x11", "plugin.so@0x20 > plugin.so@0x11", "program@0x20 > program@0x11"});
}

TEST_CASE("functions that begin threads are the C library's, and those of users whose names are like theirs are not") {
  struct Known {
    translate::SourcePosition position;
    samples::Origin origin;
  };
  const auto function = [](const char* name, const char* module, std::uint32_t line) {
    translate::SourcePosition position;
    position.function = name;
    position.module = module;
    position.line = line;
    return position;
  };
  using samples::Origin;
  const std::vector<Known> known{{function("clone_mesh", "/bin/program", 7), Origin::user},
                                 {function("clone(Tree const&)", "/bin/program", 8), Origin::user},
                                 {function("start_threads", "/bin/program", 0), Origin::user},
                                 {function("clone", "/bin/program", 9), Origin::user},
                                 {function("clone", "", 10), Origin::user},  // of Python
                                 {function("_start_solver", "/bin/program", 0), Origin::user},
                                 {function("clone3", "/lib/libc.so.6", 0), Origin::runtime},
                                 {function("start_thread", "/lib/libc.so.6", 442), Origin::runtime},
                                 {function("__libc_start_call_main", "/lib/libc.so.6", 0), Origin::runtime},
                                 {function("clone", "/bin/static", 0), Origin::runtime},
                                 {function("_start", "/bin/program", 0), Origin::runtime}};
  Addresses stack;  // innermost first, which is at its own address and not behind a call
  for (std::size_t i = known.size(); i-- > 0;) stack.push_back(0x500010 + i - (i + 1 == known.size() ? 1 : 0));
  const auto symbolize = [&](const std::vector<std::uint64_t>& addresses) {
    std::vector<translate::SourcePosition> positions;
    for (const std::uint64_t address : addresses) positions.push_back(known.at(address - 0x500010).position);
    return positions;
  };
  const samples::SampleSet set = converted(journal_of_a_thread(), {stack}, symbolize);
  const auto& frames = set.stacks.at(set.samples.at(0).stack);
  REQUIRE(frames.size() == known.size());
  for (std::size_t i = 0; i < known.size(); ++i) {
    INFO(known[i].position.function + " in " + known[i].position.module);
    CHECK(set.strings[set.frames[frames[i]].function] == known[i].position.function);
    CHECK(set.frames[frames[i]].origin == known[i].origin);
  }
}

TEST_CASE("a stream of more counters than runs have keeps the first of them, and is damaged") {
  const test::Scratch scratch;
  std::vector<Entry> entries;
  const auto append = [&](raw::SampleKind kind, const Addresses& words, std::uint32_t reason) {
    entries.push_back({kind, 10 * (entries.size() + 1), reason, words});
  };
  for (std::uint64_t first = 1000; first < 1080; first += 8) {
    Addresses ids;
    for (std::uint64_t id = first; id < first + 8; ++id) ids.push_back(id);
    append(raw::SampleKind::counters, ids, 0);
  }
  append(raw::SampleKind::counters, {1003, 1079}, 0);
  append(raw::SampleKind::counted, {5, 6, 0x500010}, 2);
  write_entries(scratch / "raw", {entries});
  std::vector<std::string> damage;
  REQUIRE(convert_samples(scratch / "raw", scratch.path(), journal_of_a_thread(), positions_of, 1000, damage) == 1);
  REQUIRE(damage.size() == 1);
  CHECK_THAT(damage.front(), ContainsSubstring("more counters than a run can have"));
  const samples::SampleSet set = samples::read(scratch / samples::file_name);
  CHECK(set.counters.size() == samples::most_counters_of_set);
  CHECK(set.values.at(3) == 5);
  CHECK(std::count(set.values.begin(), set.values.end(), std::uint64_t{6}) == 0);
}

TEST_CASE("a thread that has not gone on running does not run until the archive's end, or its own") {
  constexpr auto out = raw::SampleKind::switched_out, in = raw::SampleKind::switched_in;
  Journal journal = journal_of_a_thread();
  CHECK(pauses_of(journal, {{{out, 100}, {in, 200}, {out, 300}}}) == Lines{"11: 100 to 200", "11: 300 to 1000"});
  CHECK(pauses_of(journal, {{{out, 300, raw::preempted}}}) == Lines{"11: 300 to 1000, preempted"});
  CHECK(pauses_of(journal, {{{out, 1200}}}).empty());
  journal.channels.resize(2);
  journal.channels[0].end = 500;
  journal.channels[1].os_thread_id = 11;  // the number was given again
  CHECK(pauses_of(journal, {{{out, 300}}, {{out, 600}, {in, 700}}}) == Lines{"11: 300 to 500", "11: 600 to 700"});
}

TEST_CASE("whether a thread ran while entries were lost is not known") {
  constexpr auto out = raw::SampleKind::switched_out, in = raw::SampleKind::switched_in;
  const Journal journal = journal_of_a_thread();
  CHECK(pauses_of(journal, {{{out, 100}, {raw::SampleKind::lost, 150, 2}, {in, 400}, {out, 500}, {in, 600}}}) ==
        Lines{"11: 500 to 600"});
  CHECK(pauses_of(journal, {{{out, 100}, {raw::SampleKind::lost, 150, 1}}}).empty());
}

TEST_CASE("times of CLOCK_MONOTONIC are put on the line of the events, between two readings in proportion") {
  constexpr auto out = raw::SampleKind::switched_out, in = raw::SampleKind::switched_in;
  Journal journal = journal_of_a_thread();
  journal.run.clock = ClockKind::tsc;
  journal.clock = {{7000, 1000, 0}, {8000, 1800, 0}, {9000, 3000, 0}};  // 1 ns each tick, slewed by 200 in the middle
  const Entries entries{{{out, 400}, {in, 1400}, {out, 1800}, {in, 2400}, {out, 3000}, {in, 3100}}};
  CHECK(pauses_of(journal, entries) == Lines{"11: 400 to 1500", "11: 2000 to 2500", "11: 3000 to 3100"});
  journal.clock.insert(journal.clock.begin() + 2, ClockSync{8500, 1700, 0});  // damage: it went back
  CHECK(pauses_of(journal, entries) == Lines{"11: 400 to 1500", "11: 2000 to 2500", "11: 3000 to 3100"});
  const test::Scratch scratch;
  write_entries(scratch / "raw", {{{raw::SampleKind::sample, 1400}}});
  CHECK(last_sample(scratch / "raw", journal) == 1500);
}
