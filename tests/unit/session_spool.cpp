// SPDX-License-Identifier: BSD-3-Clause
// Rings in a file where the system's pages are larger than the file's.
#include <sys/resource.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/raw/journal.hpp"
#include "formats/raw/reader.hpp"
#include "formats/raw/writer.hpp"
#include "tests/support/scratch.hpp"
#include "tracer/session/spool.hpp"

using namespace tracer;

namespace {

Record record_at(Ticks time) {
  Record record{};
  record.time = time;
  record.kind = RecordKind::flush;
  return record;
}

}  // namespace

TEST_CASE("what a run with a full disk could not write is not lost as long as its rings are there") {
  constexpr raw::RunId run{1, 2};
  constexpr std::uint64_t written = 100, recorded = 130, refused = 7;
  const bool are_there = GENERATE(true, false);
  const test::Scratch scratch;
  Spool spool;
  std::string reason;
  Slot slot;
  REQUIRE(spool.create(scratch.path(), "owner", run, reason, true));
  REQUIRE(spool.add(512, slot));
  for (std::uint64_t r = 0; r < recorded; ++r) slot.records[r] = record_at(1000 + r);
  slot.header->tail = written;
  slot.header->head = recorded;
  slot.header->channel = 0;
  {
    raw::JournalWriter journal;
    journal.create(OwnFile::create(scratch / "journal"), run);
    journal.spool(spool.directory().string());
    ChannelInfo channel;
    channel.records = recorded;
    channel.lost = refused + recorded - written;  // as the run's end counts them
    journal.channel(channel);
    journal.end(Ending::finalize, 5000);
    raw::TraceWriter trace;
    trace.create(OwnFile::create(scratch / "trace"), run);
    const std::vector<Record> records(slot.records, slot.records + written);
    REQUIRE(trace.append(0, 0, records, {}) == 0);
  }
  if (!are_there) spool.remove();
  const auto trace = raw::open_trace(scratch.path());
  CHECK(trace->report().ring_records == (are_there ? recorded - written : 0));
  CHECK(trace->journal().channels.at(0).lost == (are_there ? refused : refused + recorded - written));
  spool.remove();
}

TEST_CASE("a ring in a state in which no process leaves it is skipped, and the trace is damaged") {
  constexpr raw::RunId run{1, 2};
  const test::Scratch scratch;
  Spool spool;
  std::string reason;
  Slot slots[2];
  REQUIRE(spool.create(scratch.path(), "owner", run, reason, true));
  for (std::uint32_t i = 0; i < 2; ++i) {
    REQUIRE(spool.add(512, slots[i]));
    slots[i].records[0] = record_at(1000);
    slots[i].header->head = 1;
    slots[i].header->channel = i;
  }
  slots[1].header->capacity = 500;
  {
    raw::JournalWriter journal;
    journal.create(OwnFile::create(scratch / "journal"), run);
    journal.spool(spool.directory().string());
    journal.end(Ending::finalize, 5000);
    raw::TraceWriter trace;
    trace.create(OwnFile::create(scratch / "trace"), run);
  }
  spool.unlock();
  const auto trace = raw::open_trace(scratch.path());
  CHECK(trace->report().ring_records == 1);
  CHECK(trace->report().damage == std::vector<std::string>{"rings that are not credible are skipped: 1"});
  spool.remove();
}

TEST_CASE("the rings of a process that goes on are read as they were when the trace was opened") {
  constexpr raw::RunId run{1, 2};
  constexpr std::uint64_t written = 100, recorded = 130, slots = 512, later = 10;
  const test::Scratch scratch;
  Spool spool;
  std::string reason;
  Slot slot;
  REQUIRE(spool.create(scratch.path(), "owner", run, reason, true));
  REQUIRE(spool.add(slots, slot));
  for (std::uint64_t r = 0; r < recorded; ++r) slot.records[r] = record_at(1000 + r);
  slot.header->tail = written;
  slot.header->head = recorded;
  slot.header->channel = 0;
  {
    raw::JournalWriter journal;
    journal.create(OwnFile::create(scratch / "journal"), run);
    journal.spool(spool.directory().string());
    raw::TraceWriter trace;
    trace.create(OwnFile::create(scratch / "trace"), run);
    std::vector<Record> records(slot.records, slot.records + recorded);
    for (std::uint64_t r = 0; r < later; ++r) records.push_back(record_at(1000 + recorded + r));
    REQUIRE(trace.append(0, 0, std::span(records).first(written), {}) == 0);
    REQUIRE(trace.append(0, written, std::span(records).subspan(written), {}) == 0);  // as if behind the copy
  }
  const auto trace = raw::open_trace(scratch.path());
  REQUIRE(trace->report().being_recorded);
  for (std::uint64_t r = recorded; r < recorded + slots; ++r) slot.records[r % slots] = record_at(1000 + r);
  slot.header->tail = recorded;
  slot.header->head = recorded + slots;
  for (const int pass : {1, 2}) {
    CAPTURE(pass);
    std::vector<Ticks> times;
    const auto reader = trace->records(0);
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next())
      for (const Record& record : batch) times.push_back(record.time);
    REQUIRE(times.size() == recorded);
    CHECK(times.front() == 1000);
    CHECK(times[written] == 1000 + written);
    CHECK(times.back() == 1000 + recorded - 1);
  }
  CHECK(trace->report().missing_records == 0);
  spool.remove();
}

TEST_CASE("why a ring is not in the file is known") {
  const test::Scratch scratch;
  Spool spool;
  std::string reason;
  REQUIRE(spool.create(scratch.path(), "owner", {1, 2}, reason, true));
  Slot slots[2];
  REQUIRE(spool.add(512, slots[0]));
  CHECK(slots[0].survives);
  CHECK(slots[0].error == 0);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit low{32 << 10, before.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &low) == 0);
  const bool is_added = spool.add(512, slots[1]);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(is_added);
  CHECK_FALSE(slots[1].survives);
  CHECK(slots[1].error == EFBIG);
  spool.remove();
}

TEST_CASE("rings outlive the process whatever the size of the system's pages") {
  constexpr std::uint64_t records = 512;  // 16 KiB
  for (const std::uint64_t page : {std::uint64_t{0}, std::uint64_t{16} << 10, std::uint64_t{64} << 10}) {
    const test::Scratch scratch;
    Spool spool{page};
    std::string reason;
    REQUIRE(spool.create(scratch.path(), "owner", {1, 2}, reason, true));
    Slot slots[3];
    for (std::uint64_t i = 0; i < 3; ++i) {
      REQUIRE(spool.add(records, slots[i]));
      CHECK(slots[i].survives);
      REQUIRE(spool.commit(slots[i], records));
      for (std::uint64_t r = 0; r < records; ++r) slots[i].records[r] = record_at(1000 * (i + 1) + r);
    }
    // A system refuses other offsets than those of its pages.
    std::ifstream maps("/proc/self/maps");
    std::size_t seen = 0;
    for (std::string line; std::getline(maps, line);) {
      if (line.find(spool.directory().string() + "/rings") == line.npos) continue;
      std::istringstream words(line);
      std::string addresses, rights, offset;
      words >> addresses >> rights >> offset;
      CHECK(std::stoull(offset, nullptr, 16) % std::max<std::uint64_t>(page, 4096) == 0);
      ++seen;
    }
    CHECK(seen != 0);
    std::ifstream file(spool.directory() / "rings", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (std::uint64_t i = 0; i < 3; ++i) {
      Record last{};
      REQUIRE(bytes.size() >= slots[i].offset + raw::spool_page + records * sizeof last);
      bytes.copy(reinterpret_cast<char*>(&last), sizeof last,
                 slots[i].offset + raw::spool_page + (records - 1) * sizeof last);
      CHECK(last.time == 1000 * (i + 1) + records - 1);
    }
    spool.remove();
  }
}
