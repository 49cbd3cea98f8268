// SPDX-License-Identifier: BSD-3-Clause
// Threads for whose rings the system has no memory, though TRACER_MEMORY is not used up.
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <thread>

#include "catch.hpp"
#include "tests/support/few_addresses.hpp"
#include "tests/unit/session_run.hpp"
#include "tracer/session/channel.hpp"
#include "tracer/session/channel_list.hpp"
#include "tracer/session/lasting_allocator.hpp"

using namespace tracer;
using namespace tracer::test;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need addresses themselves
namespace {

void record_with_few_addresses(std::uint64_t bytes, std::uint64_t count) {
  work_with_few_addresses(bytes, [count] { record_numbers(count); });
}

}  // namespace

TEST_CASE("a thread for whose ring there is no memory gets a smaller one") {
  Run run;
  run.config.memory = std::uint64_t{16} << 30;
  run.config.ring_size = 64 << 20;
  run.start();
  record_with_few_addresses(24 << 20, 5);
  const auto trace = run.finish();
  CHECK(trace->report().complete);
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
  CHECK(trace->journal().messages.empty());
}

TEST_CASE("where there is memory for no ring, that is said once, at the end where there is none for a message either") {
  Run run;
  run.start();
  record_with_few_addresses(0, 5);
  record_with_few_addresses(0, 5);
  std::thread(record_numbers, 5).join();
  const auto trace = run.finish();
  CHECK(trace->journal().counters.at("lost.threads") == 2);
  REQUIRE(trace->journal().messages.size() == 1);
  CHECK_THAT(trace->journal().messages.front(), ContainsSubstring("Cannot allocate memory; see the limits"));
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
}

TEST_CASE("rings are emptied where there is no memory") {
  constexpr std::uint64_t count = 50'000;
  Run run;
  run.config.ring_size = 64 << 10;
  run.start();
  record_numbers(1);
  {
    const FewAddresses few(0);
    record_numbers_between(1, count);
  }
  const auto trace = run.finish();
  CHECK(trace->report().complete);
  CHECK(trace->journal().counters.count("stopped.failed_write") == 0);
  const auto values = numbers(read_all(*trace, 0));
  CHECK(values.size() == count);
  CHECK(counts_up(values, 0));
}

TEST_CASE("a name for which there is no memory is counted, and kept as soon as there is some") {
  Run run;
  run.start();
  Session& session = *run.session;
  session.count("words.names_not_kept", 1);
  std::uint32_t in_vain = 1, of_program = 1;
  work_with_few_addresses(0, [&] {
    in_vain = session.intern("a name that is longer than what a string has room for in itself");
    of_program = session.intern_name("another name that is longer than what a string has room for");
  });
  CHECK(in_vain == 0);
  CHECK(of_program == 0);
  const std::uint32_t id = session.intern("a name that is longer than what a string has room for in itself");
  CHECK(id != 0);
  const auto trace = run.finish();
  CHECK(trace->journal().counters.at("words.names_not_kept") == 3);
  CHECK(trace->journal().strings.at(id) == "a name that is longer than what a string has room for in itself");
}

TEST_CASE("at the end of a run a flight recorder is written without a copy of its rings") {
  constexpr std::uint64_t count = 100'000;
  Run run;
  run.config.on_full = FullPolicy::newest;
  run.config.memory = 1 << 20;
  run.start();
  record_numbers(count);
  work_with_few_addresses(0, [&] { run.session->finish(Ending::finalize); });
  const auto trace = raw::open_trace(run.session->raw_directory());
  CHECK(trace->report().damage.empty());
  CHECK(trace->journal().ending == Ending::finalize);
  const auto values = numbers(read_all(*trace, 0));
  REQUIRE_FALSE(values.empty());
  CHECK(values.back() == count - 1);
  CHECK(counts_up(values, values.front()));
  CHECK(trace->journal().channels.at(0).lost + values.size() == count);
}

TEST_CASE("a channel for which there is no memory does not disturb the list of the others") {
  const auto channels = std::make_unique<std::array<Channel, 8>>();
  ChannelList list;
  const auto add = [&] {
    list.take_place();
    list.add((*channels)[list.size()]);
  };
  while (list.size() < 3) add();
  bool has_thrown = false;
  work_with_few_addresses(0, [&] {
    try {
      for (;;) lasting_memory(1);
    } catch (const std::bad_alloc&) {
    }
    try {
      list.take_place();
    } catch (const std::bad_alloc&) {
      has_thrown = true;
    }
  });
  CHECK(has_thrown);
  list.take_place();
  list.give_place_back();
  while (list.size() < channels->size()) add();
  for (std::size_t i = 0; i < list.size(); ++i) CHECK(&list[i] == &(*channels)[i]);
}

TEST_CASE("a run ends where there is no memory: what was recorded and counted is there, and the rings are gone") {
  Run run;
  run.start();
  record_numbers(5);
  record_with_few_addresses(0, 5);
  run.session->count("of.a.test", 7);
  const std::filesystem::path rings = run.session->spool().directory();
  REQUIRE_FALSE(rings.empty());
  bool is_there = false;
  work_with_few_addresses(0, [&] { is_there = run.session->finish(Ending::finalize); });
  CHECK(is_there);
  CHECK_FALSE(std::filesystem::exists(rings));
  const auto trace = raw::open_trace(run.session->raw_directory());
  CHECK(trace->report().complete);
  CHECK(trace->journal().ending == Ending::finalize);
  CHECK(trace->journal().counters.at("lost.threads") == 1);
  CHECK(trace->journal().counters.at("of.a.test") == 7);
  CHECK(numbers(read_all(*trace, 0)).size() == 5);
}
#endif
