// SPDX-License-Identifier: BSD-3-Clause
// The compact form of records that repeat each other.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "catch.hpp"
#include "formats/raw/codec.hpp"
#include "formats/raw/encoder.hpp"
#include "formats/raw/layout.hpp"

using namespace tracer;

namespace {

Record record_at(Ticks time, RecordKind kind, std::uint64_t b) {
  Record record{};
  record.time = time;
  record.kind = kind;
  record.b = b;
  return record;
}

bool same(const Record& a, const Record& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Into `out`; the number of bytes.
std::size_t encode(std::span<const Record> records, Ticks first, std::byte* out) {
  const auto encoder = std::make_unique<raw::Encoder>();
  encoder->begin(first, out);
  encoder->add(records);
  return static_cast<std::size_t>(encoder->end() - out);
}

/// A loop of so many different records, with times that take one to eight bytes; some count up.
std::vector<Record> loop_of(unsigned period, unsigned rounds, std::mt19937_64& random, bool counts) {
  std::vector<Record> body;
  for (unsigned i = 0; i < period; ++i) {
    Record record = record_at(0, static_cast<RecordKind>(12 + random() % 12), random() % 4);
    record.endpoint = static_cast<Endpoint>(random() % 4);
    record.a = static_cast<std::uint32_t>(random() % 3 == 0 ? 0xfffffff0u + i : i);
    record.c = 0x401000 + random() % 3;
    body.push_back(record);
  }
  std::vector<Record> records;
  Ticks time = 1'000'000;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = 0; i < period; ++i) {
      time += random() % 50 == 0 ? random() >> (random() % 8 * 8) : random() % 300;
      body[i].time = time;
      records.push_back(body[i]);
      if (counts && i % 2 == 0) body[i].a += 1;
      if (counts && i % 3 == 0) body[i].b -= 5;
    }
  }
  return records;
}

std::vector<Record> through_the_compact_form(const std::vector<Record>& records, std::size_t& size) {
  std::vector<std::byte> bytes(records.size() * raw::most_record_bytes);
  size = encode(records, records.front().time, bytes.data());
  bytes.resize(size);
  std::vector<Record> back;
  REQUIRE(raw::decode(bytes, records.size(), records.front().time, back));
  return back;
}

bool same(const std::vector<Record>& a, const std::vector<Record>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Record& x, const Record& y) { return same(x, y); });
}

/// What a reader that asks for new records only is to see, by the rules of Repeats.
struct Skimmed {
  std::vector<Record> seen;
  Repeats repeats;
};
Skimmed skimmed(std::span<const Record> records, const auto& wants_no_more) {
  Skimmed result;
  std::array<Record, 256> last{};
  Ticks before = records.front().time;
  for (Record record : records) {
    const std::size_t at = Repeats::index(record);
    const bool is_new = record.sub != last[at].sub || record.c != last[at].c;
    last[at] = record;
    const std::uint64_t difference = record.time - before;
    before = record.time;
    Repeats& repeats = result.repeats;
    if (repeats.skip[at] && !is_new && !repeats.expects_team) {
      ++repeats.skipped[at];
      repeats.latest = std::max(repeats.latest, record.time);
      continue;
    }
    repeats.skip[at] = false;
    repeats.expects_team = repeats.expects_team_behind(record.kind, record.endpoint);
    if (record.kind == RecordKind::mutex_released)
      record.a = static_cast<std::uint32_t>(std::min<std::uint64_t>(difference, 0xffffffffu));
    result.seen.push_back(record);
    if (wants_no_more(record)) repeats.skip[at] = true;
  }
  return result;
}

}  // namespace

TEST_CASE("loops of records, and what interrupts them, survive the compact form") {
  std::mt19937_64 random(11);
  const unsigned period = GENERATE(1u, 2u, 3u, 4u, 7u, 60u, 128u, 129u, 255u, 256u, 400u);
  const bool counts = GENERATE(false, true);
  CAPTURE(period, counts);
  std::vector<Record> records;
  for (unsigned part = 0; part < 6; ++part) {
    const auto loop = loop_of(period, 1 + 1500 / period, random, counts);
    records.insert(records.end(), loop.begin(), loop.end());
    for (unsigned i = 0; i < random() % 4; ++i) records.push_back(record_at(random(), RecordKind::work, random()));
    if (part % 2 == 0) records.push_back(record_at(random(), RecordKind::more, 1));
  }
  std::size_t size = 0;
  CHECK(same(through_the_compact_form(records, size), records));
}

TEST_CASE("a loop's records take little more than a byte each") {
  std::vector<Record> records;
  for (unsigned i = 0; i < 3000; ++i) {
    Record create = record_at(1'000'000 + i * 90, RecordKind::task_create, 42);
    create.a = i;
    create.c = 0x401234;
    Record begin = record_at(create.time + 30, RecordKind::task_schedule, 42);
    begin.c = i;
    Record end = record_at(create.time + 60, RecordKind::task_schedule, i);
    end.endpoint = Endpoint::end;
    end.c = 42;
    records.insert(records.end(), {create, begin, end});
  }
  std::size_t size = 0;
  CHECK(same(through_the_compact_form(records, size), records));
  CHECK(size < records.size() * 11 / 10);
}

TEST_CASE("of a loop's records a reader may leave out those that repeat others, and sees all others") {
  std::mt19937_64 random(5);
  const unsigned period = GENERATE(1u, 3u, 4u, 9u, 40u);
  const bool counts = GENERATE(false, true);
  const std::size_t room = GENERATE(std::size_t{1}, std::size_t{64}, std::size_t{5000});
  CAPTURE(period, counts, room);
  std::vector<Record> records;
  for (unsigned part = 0; part < 4; ++part) {
    auto loop = loop_of(period, 400 / period + 2, random, counts);
    if (part % 2 == 1) loop.back().kind = RecordKind::parallel_begin;
    records.insert(records.end(), loop.begin(), loop.end());
  }
  const auto wants_no_more = [](const Record& record) { return record.b % 2 == 0; };
  std::vector<std::byte> bytes(records.size() * raw::most_record_bytes);
  bytes.resize(encode(records, records.front().time, bytes.data()));
  raw::Decoder decoder(bytes, records.front().time);
  Repeats repeats;
  std::vector<Record> out(room), seen;
  for (std::size_t consumed = 0; consumed < records.size();) {
    // One by one, so that the wish is heard before the next record.
    const auto taken = decoder.take(out.data(), 1, records.size() - consumed, &repeats);
    REQUIRE(taken.consumed > 0);
    consumed += taken.consumed;
    for (std::size_t i = 0; i < taken.written; ++i) {
      seen.push_back(out[i]);
      if (wants_no_more(out[i])) repeats.skip[Repeats::index(out[i])] = true;
    }
  }
  const Skimmed wanted = skimmed(records, wants_no_more);
  CHECK(same(seen, wanted.seen));
  CHECK(repeats.skipped == wanted.repeats.skipped);
  CHECK(repeats.latest == wanted.repeats.latest);
}

TEST_CASE("a run that cannot be is refused") {
  const auto bytes_of = [](std::initializer_list<unsigned> values) {
    std::vector<std::byte> bytes;
    for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
    return bytes;
  };
  std::vector<Record> back;
  const auto decodes = [&](std::initializer_list<unsigned> values, std::size_t count) {
    return raw::decode(bytes_of(values), count, 0, back);
  };
  CHECK(decodes({15, 0x10, 1, 1, 0x80, 2, 0, 5, 6}, 3));
  CHECK(back.back().time == 12);
  CHECK_FALSE(decodes({15, 0x10, 1, 2, 0x80, 2, 0, 5, 6}, 3));               // no two records before it
  CHECK_FALSE(decodes({15, 0x10, 1, 1, 0x81, 2, 0, 5, 6}, 3));               // no two periods
  CHECK_FALSE(decodes({15, 0x10, 1, 0, 0x80, 2, 0, 5, 6}, 3));               // no period
  CHECK_FALSE(decodes({15, 0x10, 1, 1, 0x80, 0, 0, 5, 6}, 3));               // no records
  CHECK_FALSE(decodes({15, 0x10, 1, 1, 0x84, 2, 0, 5, 6}, 3));               // an unknown flag
  CHECK_FALSE(decodes({15, 0x10, 1, 1, 0x80, 3, 0, 5, 6}, 4));               // ends in its middle
  CHECK_FALSE(decodes({15, 0x10, 1, 1, 0x80, 2, 0, 5, 255, 1}, 3));          // and in the middle of a time
  CHECK_FALSE(decodes({1, 0x10, 1, 1, 0x80, 2, 0, 5, 6}, 3));                // `more` has no time
  CHECK_FALSE(decodes({15, 0x10, 1, 16, 0x10, 1, 1, 0x81, 2, 0, 5, 6}, 4));  // a step from kind to kind
}
