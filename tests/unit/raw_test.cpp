// SPDX-License-Identifier: BSD-3-Clause
// The raw trace: what is written is read, and what is damaged is told and skipped.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "catch.hpp"
#include "formats/raw/codec.hpp"
#include "formats/raw/encoder.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "formats/raw/spool_reader.hpp"
#include "formats/raw/writer.hpp"
#include "support/scratch.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/error.hpp"

using namespace tracer;

namespace {

const raw::RunId run_id{1, 2};

Record record_at(Ticks time, RecordKind kind = RecordKind::work, std::uint64_t b = 0) {
  Record record{};
  record.time = time;
  record.kind = kind;
  record.endpoint = Endpoint::begin;
  record.b = b;
  return record;
}

std::vector<Record> records_from(std::uint64_t position, std::size_t count) {
  std::vector<Record> records;
  for (std::size_t i = 0; i < count; ++i)
    records.push_back(record_at(1000 + position + i, RecordKind::work, position + i));
  return records;
}

bool same(const Record& a, const Record& b) {
  return a.time == b.time && a.kind == b.kind && a.endpoint == b.endpoint && a.sub == b.sub && a.a == b.a &&
         a.b == b.b && a.c == b.c;
}

/// A raw trace of channel 0 whose segments hold 100 records each.
struct SmallTrace {
  test::Scratch scratch;
  explicit SmallTrace(std::size_t segments, bool ends = true) {
    raw::JournalWriter journal;
    journal.create(OwnFile::create(scratch.path() / "journal"), run_id);
    journal.run({});
    journal.channel({});
    if (ends) journal.end(Ending::finalize, 5000);
    raw::TraceWriter trace;
    trace.create(OwnFile::create(scratch.path() / "trace"), run_id);
    for (std::size_t i = 0; i < segments; ++i) {
      const auto records = records_from(i * 100, 100);
      REQUIRE(trace.append(0, i * 100, std::span(records).first(40), std::span(records).subspan(40)) == 0);
    }
  }
  void flip(const char* file, std::uint64_t offset) const {
    std::fstream stream(scratch.path() / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(offset));
    const int byte = stream.get();
    stream.seekp(static_cast<std::streamoff>(offset));
    stream.put(static_cast<char>(byte ^ 0x10));
  }
  std::uint64_t size(const char* file) const { return std::filesystem::file_size(scratch.path() / file); }
};

std::vector<Record> read_all(const TraceSource& source, ChannelId channel) {
  std::vector<Record> all;
  const auto reader = source.records(channel);
  for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

/// Into `out`; the number of bytes.
std::size_t encode(std::span<const Record> records, Ticks first, std::byte* out) {
  const auto encoder = std::make_unique<raw::Encoder>();
  encoder->begin(first, out);
  encoder->add(records);
  return static_cast<std::size_t>(encoder->end() - out);
}

}  // namespace

TEST_CASE("records of any content survive the compact form") {
  std::mt19937_64 random(7);
  std::vector<Record> records;
  for (int i = 0; i < 5000; ++i) {
    Record record{};
    record.time = i % 3 ? 1'000'000 + static_cast<Ticks>(i) * 37 : random();
    record.kind = static_cast<RecordKind>(1 + random() % 37);
    record.endpoint = static_cast<Endpoint>(random() % 4);
    record.sub = static_cast<std::uint16_t>(random());
    record.a = random() % 2 ? 7 : static_cast<std::uint32_t>(random());
    record.b = random() % 2 ? 9 : random();
    record.c = random() % 2 ? 0x7f0000001234 : random();
    records.push_back(record);
  }
  std::vector<std::byte> bytes(records.size() * raw::most_record_bytes);
  bytes.resize(encode(records, 5, bytes.data()));
  std::vector<Record> back;
  REQUIRE(raw::decode(bytes, records.size(), 5, back));
  REQUIRE(back.size() == records.size());
  bool all_same = true;
  for (std::size_t i = 0; i < back.size(); ++i) all_same = all_same && same(back[i], records[i]);
  CHECK(all_same);
}

TEST_CASE("a barrier's records take at most five bytes each") {
  std::vector<Record> records;
  for (int i = 0; i < 1000; ++i) {
    for (const auto kind : {RecordKind::sync_region, RecordKind::sync_region_wait}) {
      Record record = record_at(static_cast<Ticks>(1'000'000 + i * 5000), kind, 42);
      record.c = 0x401234;
      records.push_back(record);
    }
  }
  std::vector<std::byte> bytes(records.size() * raw::most_record_bytes);
  const std::size_t size = encode(records, 0, bytes.data());
  CHECK(size <= records.size() * 5);
}

TEST_CASE("repetitions that the reader may leave out are counted, and nothing else is left out") {
  std::vector<Record> records;
  for (unsigned i = 0; i < 1000; ++i) {
    Record record = record_at(1'000'000 + i * 10, i % 5 == 4 ? RecordKind::work : RecordKind::sync_region, i);
    record.c = i / 300;  // 0 first: what the encoding begins from
    record.a = i % 7;
    records.push_back(record);
  }
  std::vector<std::byte> bytes(records.size() * raw::most_record_bytes);
  bytes.resize(encode(records, records.front().time, bytes.data()));
  raw::Decoder decoder(bytes, records.front().time);
  Repeats repeats;
  std::vector<Record> out(64), seen;
  std::size_t consumed = 0;
  for (raw::Decoder::Taken taken; consumed < records.size(); consumed += taken.consumed) {
    taken = decoder.take(out.data(), out.size(), records.size() - consumed, &repeats);
    REQUIRE(taken.consumed > 0);
    for (std::size_t n = 0; n < taken.written; ++n) {
      seen.push_back(out[n]);
      repeats.skip[Repeats::index(out[n])] = out[n].kind == RecordKind::sync_region;
    }
  }
  CHECK(decoder.at_end());
  const std::size_t left_out = repeats.skipped[Repeats::index(records.front())];
  CHECK(left_out > 400);
  CHECK(seen.size() + left_out == records.size());
  // Every record of the other kind, and each sub and c of this one, in order and as they were.
  std::size_t next = 0;
  for (const Record& record : seen) {
    while (next < records.size() && !same(records[next], record)) {
      CHECK(records[next].kind == RecordKind::sync_region);
      ++next;
    }
    REQUIRE(next++ < records.size());
  }
  for (std::uint64_t c = 0; c < 4; ++c)
    CHECK(std::any_of(seen.begin(), seen.end(),
                      [&](const Record& r) { return r.kind == RecordKind::sync_region && r.c == c; }));
}

TEST_CASE("a complete raw trace is read as it was written") {
  const SmallTrace trace(3);
  const auto source = raw::open_trace(trace.scratch.path());
  CHECK(source->report().complete);
  const auto all = read_all(*source, 0);
  const auto expected = records_from(0, 300);
  REQUIRE(all.size() == 300);
  bool all_same = true;
  for (std::size_t i = 0; i < all.size(); ++i) all_same = all_same && same(all[i], expected[i]);
  CHECK(all_same);
  CHECK(source->journal().channels.at(0).records == 300);
  CHECK(read_all(*source, 1).empty());
}

TEST_CASE("a trace that was cut off anywhere yields its whole segments and says what is missing") {
  for (const std::uint64_t cut : {1u, 10u, 71u, 73u, 160u}) {
    const SmallTrace trace(3);
    std::filesystem::resize_file(trace.scratch.path() / "trace", trace.size("trace") - cut);
    const auto source = raw::open_trace(trace.scratch.path());
    CHECK_FALSE(source->report().complete);
    CHECK(source->report().damage.empty());
    CHECK(source->report().cut_bytes > 0);
    CHECK(read_all(*source, 0).size() == 200);
  }
}

TEST_CASE("a damaged segment becomes a lost record and the next segments are read") {
  const SmallTrace trace(3);
  trace.flip("trace", 32 + (trace.size("trace") - 32) / 3 + 100);  // in the second segment's payload
  const auto source = raw::open_trace(trace.scratch.path());
  const auto all = read_all(*source, 0);
  REQUIRE(all.size() == 201);
  CHECK(all[100].kind == RecordKind::lost);
  CHECK(all[100].b == 100);
  CHECK(all[101].b == 200);
}

TEST_CASE("a damaged segment header is skipped up to the next sound one") {
  const SmallTrace trace(3);
  trace.flip("trace", 32 + (trace.size("trace") - 32) / 3 + 8);
  const auto source = raw::open_trace(trace.scratch.path());
  CHECK(source->report().missing_records == 100);
  const auto all = read_all(*source, 0);
  REQUIRE(all.size() == 201);
  CHECK(all[100].kind == RecordKind::lost);
}

TEST_CASE("a segment that was written twice is read once") {
  const test::Scratch scratch;
  raw::JournalWriter journal;
  journal.create(OwnFile::create(scratch.path() / "journal"), run_id);
  raw::TraceWriter trace;
  trace.create(OwnFile::create(scratch.path() / "trace"), run_id);
  const auto first = records_from(0, 100), second = records_from(50, 100);
  REQUIRE(trace.append(0, 0, first, {}) == 0);
  REQUIRE(trace.append(0, 0, first, {}) == 0);
  REQUIRE(trace.append(0, 50, second, {}) == 0);
  const auto source = raw::open_trace(scratch.path());
  const auto all = read_all(*source, 0);
  REQUIRE(all.size() == 150);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].b == i);
}

TEST_CASE("what is not a raw trace, or of another version or run, is refused with a reason") {
  const test::Scratch scratch;
  CHECK_THROWS_AS(raw::open(scratch.path()), Error);
  const SmallTrace other(1);
  {
    const SmallTrace trace(1);
    trace.flip("trace", 0);
    CHECK_THROWS_AS(raw::open(trace.scratch.path()), Error);
  }
  {
    const SmallTrace trace(1);
    trace.flip("journal", 8);  // the version
    CHECK_THROWS_WITH(raw::open(trace.scratch.path()), ContainsSubstring("format"));
  }
  {
    const SmallTrace trace(1);
    trace.flip("trace", 16);  // the run
    CHECK_THROWS_WITH(raw::open(trace.scratch.path()), ContainsSubstring("another run"));
  }
}

TEST_CASE("rings that a crafted journal names are neither read nor removed when they are another run's or no file") {
  const test::Scratch scratch;
  const auto spool = scratch / ("tracer-" + std::to_string(::geteuid()) + "-0123456789abcdef");
  std::filesystem::create_directories(spool);
  raw::JournalWriter journal;
  journal.create(OwnFile::create(scratch / "journal"), run_id);
  journal.spool(spool.string());
  raw::TraceWriter trace;
  trace.create(OwnFile::create(scratch / "trace"), run_id);
  raw::SpoolHeader header{};
  std::memcpy(header.magic, raw::spool_magic, sizeof header.magic);
  header.version = raw::format_version;
  header.run = {99, 99};
  {
    std::ofstream out(spool / "rings", std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
  }
  CHECK(raw::open_trace(scratch.path())->report().spool.empty());
  CHECK(std::filesystem::exists(spool / "rings"));
  std::filesystem::rename(spool / "rings", scratch / "elsewhere");
  std::filesystem::create_symlink(scratch / "elsewhere", spool / "rings");
  CHECK_THROWS_AS(raw::open_spool(spool), Error);
  CHECK_FALSE(raw::remove_spool(scratch.path()));  // not a spool's name
  CHECK(raw::remove_spool(spool));
  CHECK(std::filesystem::exists(scratch / "elsewhere"));  // the link went, not what it names
}

TEST_CASE("a killed run whose rings are gone does not seem to have lost nothing") {
  const bool ends = GENERATE(true, false);
  const test::Scratch scratch;
  raw::JournalWriter journal;
  journal.create(OwnFile::create(scratch / "journal"), run_id);
  journal.spool((scratch / "gone").string());
  if (ends) journal.end(Ending::finalize, 5000);
  raw::TraceWriter trace;
  trace.create(OwnFile::create(scratch / "trace"), run_id);
  const auto source = raw::open_trace(scratch.path());
  CHECK(source->report().damage.empty() == ends);
  CHECK(source->journal().counters.count("rings.gone") == (ends ? 0 : 1));
}

TEST_CASE("a journal that was cut off anywhere yields its whole entries") {
  const SmallTrace trace(1);
  const auto whole = trace.size("journal");
  for (std::uint64_t size = whole - 1; size >= 33; size -= 7) {
    std::filesystem::resize_file(trace.scratch.path() / "journal", size);
    const auto file = raw::read_journal(trace.scratch.path() / "journal");
    CHECK(file.journal.ending == Ending::unknown);
  }
}

TEST_CASE("who opens the trace of a process that was killed early reads the clocks once more, and says so") {
  const test::Scratch scratch;
  const std::string boot = read_small_file("/proc/sys/kernel/random/boot_id");
  const bool same_boot = GENERATE(true, false), ends = GENERATE(true, false);
  // Of CLOCK_MONOTONIC, whose tick is a nanosecond: at the double rate the machine would have slept since then.
  const bool has_slept = GENERATE(false, true);
  const Nanoseconds length = GENERATE(Nanoseconds{20'000'000}, Nanoseconds{200'000'000});  // which tells the rate
  const Ticks ticks = has_slept ? 2 * length : length;
  const bool continued = same_boot && !ends && !has_slept && length == 20'000'000;
  {
    raw::JournalWriter writer;
    writer.create(OwnFile::create(scratch.path() / "journal"), run_id);
    writer.run({});
    writer.boot(same_boot ? boot : "another");
    writer.clock({1, 1, 1});
    writer.clock({1 + ticks, 1 + length, 1 + length});
    if (ends) writer.end(Ending::finalize, 2);
    raw::TraceWriter segments;
    segments.create(OwnFile::create(scratch.path() / "trace"), run_id);
  }
  const auto trace = raw::open_trace(scratch.path());
  CHECK(trace->journal().clock.size() == (continued ? 3 : 2));
  CHECK(trace->journal().clock_is_continued == continued);
}
