// SPDX-License-Identifier: BSD-3-Clause
// Flight recorders: the newest records, what is counted as overwritten, and rings whose memory cannot grow.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <thread>

#include "catch.hpp"
#include "tests/unit/session_run.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// The trace has the last of the numbers [0, `count`), `most` of them at most, and counts the others as lost.
void check_newest(const raw::RawTrace& trace, ChannelId id, std::uint64_t count, std::uint64_t most) {
  CAPTURE(id);
  const auto values = numbers(read_all(trace, id));
  REQUIRE_FALSE(values.empty());
  CHECK(counts_up(values, values.front()));
  CHECK(values.back() == count - 1);
  CHECK(values.size() <= most);
  CHECK(trace.journal().channels.at(id).lost + values.size() == count);
}

/// As programs do that close every descriptor.
void close_descriptor_of(const std::filesystem::path& path) {
  int found = -1;
  for (const auto& entry : std::filesystem::directory_iterator{"/proc/self/fd"}) {
    std::error_code ignored;
    if (std::filesystem::read_symlink(entry.path(), ignored) == path)
      found = std::atoi(entry.path().filename().c_str());
  }
  REQUIRE(found >= 0);
  REQUIRE(::close(found) == 0);
}

}  // namespace

TEST_CASE("a flight recorder whose trace cannot be written at one flush goes on, and has lost nothing at the next") {
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 20;
  run.start();
  record_numbers_between(0, 100);
  const auto raw = std::filesystem::canonical(run.session->raw_directory());
  std::filesystem::rename(raw / "trace", raw / "apart");
  close_descriptor_of(raw / "apart");
  run.session->flush();
  run.session->flush();
  CHECK(run.session->recording());
  std::filesystem::rename(raw / "apart", raw / "trace");
  record_numbers_between(100, 200);
  const auto trace = run.finish();
  const auto values = numbers(read_all(*trace, 0));
  CHECK(values.size() == 200);
  CHECK(counts_up(values, 0));
  CHECK(trace->journal().channels[0].lost == 0);
  CHECK(trace->journal().counters.at("flushes.not_written") == 2);
  CHECK(trace->journal().counters.count("stopped.failed_write") == 0);
  CHECK(trace->journal().messages.size() == 1);
}

TEST_CASE("what a flight recorder writes of threads is no part of its limit of size") {
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 20;
  run.config.size_limit = 64 << 10;
  run.start();
  record_numbers_between(0, 4000);
  run.session->flush();
  run.session->note_samples(1);
  CHECK(run.session->recording());
  run.session->note_samples(64 << 10);
  CHECK_FALSE(run.session->recording());
  run.finish();
}

TEST_CASE("a program that takes the signal of a flight recorder is told so, once") {
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.flush_signal = SIGUSR1;
  run.start();
  run.session->read_clock();
  std::signal(SIGUSR1, SIG_IGN);
  run.session->read_clock();
  run.session->read_clock();
  const auto trace = run.finish();
  std::signal(SIGUSR1, SIG_DFL);
  REQUIRE(trace->journal().messages.size() == 1);
  CHECK_THAT(trace->journal().messages.front(), ContainsSubstring("TRACER_FLUSH_SIGNAL"));
}

TEST_CASE("a flight recorder keeps the newest records and says how many are gone") {
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 20;
  run.start();
  constexpr std::uint64_t count = 1'000'000;
  std::thread(record_numbers, count).join();
  const auto trace = run.finish();
  const auto records = read_all(*trace, 0);
  const auto values = numbers(records);
  REQUIRE_FALSE(values.empty());
  CHECK(records.front().kind == RecordKind::lost);
  CHECK(values.back() == count - 1);
  CHECK(counts_up(values, values.front()));
  CHECK(trace->journal().channels[0].lost + values.size() == count);
}

TEST_CASE("a flight recorder that is flushed now and then counts only what is in no flush") {
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 20;
  run.start();
  constexpr std::uint64_t each = 100'000, times = 5;
  std::thread([] {
    for (std::uint64_t i = 0; i < times; ++i) {
      record_numbers(each);
      Session::current()->flush();
    }
  }).join();
  const auto trace = run.finish();
  CHECK(trace->journal().channels[0].lost + numbers(read_all(*trace, 0)).size() == each * times);
}

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
  Run run;
  run.config.spool = run.scratch.path().string();
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 30;
  run.config.size_limit = 16 << 20;  // a ring is an eighth of it: 65536 records
  run.start();
  std::thread([&run] {
    record_numbers(with_memory);
    run.session->spool().leave_to_parent();  // whoever has no file gets no memory
    record_numbers_between(with_memory, count);
  }).join();
  run.session->flush();  // gives the ring back
  std::thread(record_numbers, count).join();
  const auto trace = run.finish();
  REQUIRE(trace->journal().channels.size() == 2);
  check_newest(*trace, 0, count, in_use);
  check_newest(*trace, 1, count, in_use);
}
