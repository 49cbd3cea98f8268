// SPDX-License-Identifier: BSD-3-Clause
// Flight recorders: what is counted as overwritten, and rings whose memory cannot grow.
#include <cstdint>
#include <thread>

#include "catch.hpp"
#include "formats/raw/reader.hpp"
#include "support/scratch.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/drain/drainer.hpp"
#include "tracer/session/session.hpp"

using namespace tracer;

namespace {

void record_numbers_between(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t i = from; i < to; ++i) {
    Record record{};
    record.time = now();
    record.kind = RecordKind::work;
    record.endpoint = Endpoint::begin;
    record.b = i;
    if (Channel* const channel = this_channel()) channel->emit(record);
  }
}

/// The trace has the last of the numbers [0, `count`), `most` of them at most, and counts the others as lost.
void check_newest(const raw::RawTrace& trace, ChannelId id, std::uint64_t count, std::uint64_t most) {
  CAPTURE(id);
  std::uint64_t kept = 0, next = 0;
  bool is_in_order = true;
  const auto reader = trace.records(id);
  for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
    for (const Record& record : batch) {
      if (record.kind != RecordKind::work) continue;
      is_in_order = is_in_order && (kept == 0 || record.b == next);
      next = record.b + 1;
      ++kept;
    }
  }
  CHECK(is_in_order);
  CHECK(next == count);
  CHECK(kept <= most);
  CHECK(trace.journal().channels.at(id).lost + kept == count);
}

}  // namespace

TEST_CASE("what a flight recorder overwrote while it was copied is counted once") {
  Channel channel;
  channel.set_written(0, 100);
  channel.set_written(250, 200);  // by the end of the copy the oldest record was behind all that was copied
  CHECK(channel.overwritten(200) == 100);
  channel.set_written(260, 300);
  CHECK(channel.overwritten(300) == 160);
}

TEST_CASE("a ring that got no more memory is as large for its next thread as it was in the end") {
  constexpr std::uint64_t count = 80'000;
  // Memory comes half a mebibyte at a time in the end: what is there is no power of two.
  constexpr std::uint64_t with_memory = 40'000, had_memory = 49'152, in_use = 32'768;
  static_assert(with_memory > in_use && with_memory < had_memory);
  const test::Scratch scratch;
  Config config;
  config.output = (scratch / "out").string();
  config.spool = scratch.path().string();
  config.log = LogLevel::off;
  config.on_full = FullPolicy::newest;
  config.memory = 1 << 30;
  config.size_limit = 16 << 20;  // a ring is an eighth of it: 65536 records
  Session* const session = Session::start({}, config, make_drainer);
  REQUIRE(session);
  std::thread([session] {
    record_numbers_between(0, with_memory);
    session->spool().leave_to_parent();  // whoever has no file gets no memory
    record_numbers_between(with_memory, count);
  }).join();
  session->flush();  // gives the ring back
  std::thread(record_numbers_between, 0, count).join();
  const auto trace = raw::open_trace(session->finish(Ending::finalize));
  REQUIRE(trace->journal().channels.size() == 2);
  check_newest(*trace, 0, count, in_use);
  check_newest(*trace, 1, count, in_use);
}
