// SPDX-License-Identifier: BSD-3-Clause
// Threads that empty their rings themselves, because no processor is left to the drainer or it does not come in time.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "support/scratch.hpp"
#include "tracer/base/clock.hpp"
#include "tracer/base/processors.hpp"
#include "tracer/drain/drainer.hpp"

using namespace tracer;

namespace {

constexpr unsigned most_threads = 3;
/// What each thread has recorded for certain.
using Progress = std::array<std::atomic<std::uint64_t>, most_threads>;

void record(std::uint64_t count, std::atomic<std::uint64_t>& recorded, unsigned pair_every) {
  for (std::uint64_t i = 0; i < count; ++i) {
    auto* const channel = this_channel();
    if (channel == nullptr) return;
    Record first{};
    first.time = now();
    first.kind = RecordKind::target_data_op;
    first.endpoint = Endpoint::begin;
    first.b = i;
    Record more{};
    more.kind = RecordKind::more;
    more.b = i;
    i % pair_every == 0 ? channel->emit(first, more) : channel->emit(first);
    recorded.store(i + 1, std::memory_order_relaxed);
  }
}

/// A process that may use one processor, on which its threads record.
void run_child(const std::filesystem::path& output, Progress& progress, unsigned threads, std::uint64_t count,
               std::uint64_t ring_size) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(::sched_getcpu(), &one);
  if (::sched_setaffinity(0, sizeof one, &one) != 0) ::_exit(2);
  remember_processors();
  Config config;
  config.output = output.string();
  config.ring_size = ring_size;
  Session* const session = Session::start({}, config, make_drainer);
  if (!session) ::_exit(1);
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(record, count, std::ref(progress[i]), 7 + i);
  for (auto& thread : all) thread.join();
  const bool was_crowded = session->consumer().is_crowded();
  session->finish(Ending::finalize);
  ::_exit(was_crowded ? 0 : 3);
}

struct SharedProgress {
  void* memory = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  Progress& progress = *new (memory) Progress{};
  ~SharedProgress() { ::munmap(memory, sizeof(Progress)); }
};

/// Every channel's records count up from 0 in pairs that are whole, without a loss. Returns how many each has.
std::vector<std::uint64_t> counts_of(const raw::RawTrace& trace) {
  std::vector<std::uint64_t> counts;
  for (const auto& info : trace.journal().channels) {
    const auto reader = trace.records(info.id);
    std::uint64_t next = 0;
    bool in_order = true;
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
      for (const Record& record : batch) {
        if (record.kind == RecordKind::target_data_op) in_order = in_order && record.b == next++;
        if (record.kind == RecordKind::more) in_order = in_order && record.b + 1 == next;
        in_order = in_order && record.kind != RecordKind::lost;
      }
    }
    CHECK(in_order);
    counts.push_back(next);
  }
  return counts;
}

}  // namespace

TEST_CASE("where no processor is left to the drainer the threads empty their rings, and nothing is lost") {
  const unsigned threads = GENERATE(1u, 3u);
  const std::uint64_t ring_size = GENERATE(std::uint64_t{16} << 10, std::uint64_t{4} << 20);
  CAPTURE(threads, ring_size);
  const test::Scratch scratch;
  const SharedProgress shared;
  constexpr std::uint64_t count = 400'000;
  const pid_t child = ::fork();
  if (child == 0) run_child(scratch.path() / "out", shared.progress, threads, count, ring_size);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  const auto trace = raw::open_trace(scratch.path() / "out");
  CHECK(trace->report().complete);
  CHECK(counts_of(*trace) == std::vector<std::uint64_t>(threads, count));
}

TEST_CASE("what a killed process had recorded is there when its threads empty their rings") {
  std::mt19937 random(std::random_device{}());
  for (unsigned round = 0; round < 12; ++round) {
    const test::Scratch scratch;
    const SharedProgress shared;
    const unsigned threads = 1 + round % most_threads;
    const pid_t child = ::fork();
    if (child == 0) run_child(scratch.path() / "out", shared.progress, threads, ~std::uint64_t{0}, 1 << 20);
    constexpr unsigned most_waits = 60'000;
    for (unsigned i = 0; i < most_waits && shared.progress[0].load() < 50'000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(shared.progress[0].load() >= 50'000);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    REQUIRE(WTERMSIG(status) == SIGKILL);
    const auto trace = raw::open_trace(scratch.path() / "out");
    CHECK(trace->report().damage.empty());
    const auto counts = counts_of(*trace);
    std::uint64_t found = 0, wanted = 0;
    for (const std::uint64_t count : counts) found += count;
    for (const auto& recorded : shared.progress) wanted += recorded.load();
    CHECK(found >= wanted);
    CHECK(found <= wanted + threads);
    CHECK(raw::remove_spool(trace->report().spool));
  }
}

TEST_CASE("a ring that the drainer does not empty in time is emptied by its thread, and grows") {
  const test::Scratch scratch;
  Config config;
  config.output = (scratch.path() / "out").string();
  config.log = LogLevel::off;
  Session* const session = Session::start({}, config, make_drainer);
  REQUIRE(session);
  std::atomic<std::uint64_t> recorded{0};
  constexpr std::uint64_t count = 300'000;  // more than a ring has
  session->consumer().hold();               // the drainer, as if it got no processor
  std::thread([&] { record(count, recorded, 7); }).join();
  session->consumer().release();
  REQUIRE(session->finish(Ending::finalize));
  const auto trace = raw::open_trace(session->raw_directory());
  CHECK(trace->report().complete);
  CHECK(counts_of(*trace) == std::vector<std::uint64_t>{count});
}
