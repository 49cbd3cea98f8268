// SPDX-License-Identifier: BSD-3-Clause
// A whole run without a runtime: threads record, the drainer writes, the raw trace has everything.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <latch>
#include <thread>

#include "catch.hpp"
#include "formats/raw/claim.hpp"
#include "formats/raw/leftovers.hpp"
#include "formats/raw/reader.hpp"
#include "tests/unit/session_run.hpp"
#include "tracer/program_names.hpp"
#include "tracer/session/session.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// What is written to standard error as long as this is there, in a file.
class Said {
 public:
  explicit Said(std::filesystem::path path) : path_{std::move(path)}, before_{::dup(STDERR_FILENO)} {
    const UniqueFd file{::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    REQUIRE(::dup2(file.get(), STDERR_FILENO) == STDERR_FILENO);
  }
  ~Said() { ::dup2(before_.get(), STDERR_FILENO); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  std::string text() const {
    std::ifstream in{path_};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

 private:
  std::filesystem::path path_;
  UniqueFd before_;
};

}  // namespace

TEST_CASE("everything that several threads record is in the raw trace, in order") {
  Run run;
  run.start();
  constexpr std::uint64_t count = 300'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(record_numbers, count);
  for (auto& thread : threads) thread.join();
  const auto trace = run.finish();
  CHECK(trace->report().complete);
  REQUIRE(trace->journal().channels.size() == 4);
  for (ChannelId channel = 0; channel < 4; ++channel) {
    const auto records = read_all(*trace, channel);
    const auto values = numbers(records);
    CHECK(values.size() == count);
    CHECK(counts_up(values, 0));
    Ticks last = 0;
    bool ordered = true;
    for (const auto& record : records) {
      ordered = ordered && record.time >= last;
      last = record.time;
    }
    CHECK(ordered);
    CHECK(trace->journal().channels[channel].records == records.size());
  }
}

TEST_CASE("names of the program beyond the limit share one, and those that are known stay") {
  Run run;
  run.start();
  Session& session = *run.session;
  const std::uint32_t first = session.intern_name("first");
  for (std::uint32_t i = 1; i < most_program_names; ++i) session.intern_name(std::to_string(i));
  const std::uint32_t shared = session.intern_name("one more");
  CHECK(shared != 0);
  CHECK(session.intern_name("and another") == shared);
  CHECK(session.intern_name("first") == first);
  CHECK(session.intern("of Tracer's own") != shared);
  const auto trace = run.finish();
  CHECK(trace->journal().counters.at("words.names_not_kept") == 2);
  CHECK(trace->journal().strings.at(shared) == "(one of too many names)");
}

TEST_CASE("a small ring waits for the drainer, loses nothing, and the wait is in the trace") {
  Run run;
  run.config.ring_size = 16 << 10;
  run.start();
  std::thread(record_numbers, 500'000).join();
  const auto trace = run.finish();
  const auto records = read_all(*trace, 0);
  CHECK(counts_up(numbers(records), 0));
  CHECK(numbers(records).size() == 500'000);
  CHECK(trace->journal().channels[0].lost == 0);
  if (trace->journal().channels[0].wait_ticks > 0) {
    CHECK(std::any_of(records.begin(), records.end(), [](const Record& r) { return r.kind == RecordKind::ring_wait; }));
  }
}

TEST_CASE("thousands of short threads share few rings and each has its own channel") {
  Run run;
  run.config.memory = 1 << 20;
  run.start();
  constexpr unsigned count = 3000;
  for (unsigned i = 0; i < count; ++i) std::thread(record_numbers, 10).join();
  CHECK(run.session->channel_count() < 20);
  const auto trace = run.finish();
  REQUIRE(trace->journal().channels.size() == count);
  for (ChannelId channel = 0; channel < count; channel += 97) CHECK(read_all(*trace, channel).size() == 10);
}

TEST_CASE("threads that begin at the same time, and live on together, are all recorded") {
  Run run;
  const bool keeps_newest = GENERATE(false, true);
  CAPTURE(keeps_newest);
  run.config.on_full = keeps_newest ? FullPolicy::newest : FullPolicy::wait;
  run.config.memory = 64 << 20;
  run.start();
  const unsigned count = keeps_newest ? 64 : 600;
  std::latch all_there{count};
  std::latch all_done{count};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i) {
    threads.emplace_back([&] {
      all_there.arrive_and_wait();
      record_numbers(10);
      all_done.arrive_and_wait();
    });
  }
  for (auto& thread : threads) thread.join();
  const auto trace = run.finish();
  REQUIRE(trace->journal().channels.size() == count);
  for (ChannelId channel = 0; channel < count; ++channel) CHECK(numbers(read_all(*trace, channel)).size() == 10);
}

TEST_CASE("a pair of records is never separated") {
  Run run;
  run.config.ring_size = 16 << 10;
  run.start();
  std::thread([] {
    for (std::uint64_t i = 0; i < 100'000; ++i) {
      Record more{};
      more.kind = RecordKind::more;
      more.b = i;
      if (i % 3)
        this_channel()->emit(numbered(i), more);
      else
        this_channel()->emit(numbered(i));
    }
  }).join();
  const auto trace = run.finish();
  const auto reader = trace->records(0);
  bool first_is_more = false;
  std::uint64_t mores = 0;
  for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
    first_is_more = first_is_more || batch.front().kind == RecordKind::more;
    for (const auto& record : batch) mores += record.kind == RecordKind::more;
  }
  CHECK_FALSE(first_is_more);
  CHECK(mores == 66'666);
}

TEST_CASE("a size limit stops recording, and what was lost is counted") {
  Run run;
  run.config.size_limit = 64 << 10;
  run.start();
  constexpr std::uint64_t count = 2'000'000;
  std::thread(record_numbers, count).join();
  const DeviceRecord late[2]{};
  run.session->device_records(late);
  const auto trace = run.finish();
  CHECK(trace->report().device_records == 0);
  CHECK(trace->journal().counters.at("device.records_not_written") == 2);
  const auto values = numbers(read_all(*trace, 0));
  CHECK(values.size() < count);
  CHECK(counts_up(values, 0));
  CHECK(trace->journal().channels[0].lost > 0);
  CHECK(trace->journal().messages.size() == 1);
  CHECK(trace->journal().counters.at("stopped.size_limit") == 1);
}

TEST_CASE("samples beside a trace count to its size limit") {
  Run run;
  run.config.size_limit = 64 << 10;
  run.start();
  run.session->note_samples(32 << 10);
  CHECK(run.session->recording());
  run.session->note_samples(64 << 10);
  CHECK_FALSE(run.session->recording());
  CHECK(run.finish()->journal().counters.at("stopped.size_limit") == 1);
}

TEST_CASE("a killed process leaves everything it had recorded") {
  for (const std::uint64_t count : {1u, 100u, 200'000u}) {
    const test::Scratch scratch;
    const pid_t child = ::fork();
    if (child == 0) {
      Config config;
      config.output = (scratch.path() / "out").string();
      if (!Session::start({}, config, make_drainer)) ::_exit(1);
      record_numbers(count);
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    const auto trace = raw::open_trace(scratch.path() / "out");
    CHECK(trace->journal().ending == Ending::unknown);
    CHECK(trace->journal().clock.size() >= 2);
    CHECK(trace->report().damage.empty());
    const auto values = numbers(read_all(*trace, 0));
    CHECK(values.size() == count);
    CHECK(counts_up(values, 0));
    CHECK(raw::remove_spool(trace->report().spool));
  }
}

TEST_CASE("the lock of a raw trace tells that its process records, and that it has ended") {
  Run run;
  run.start();
  const auto raw_directory = run.session->raw_directory();
  CHECK_FALSE(raw::is_unlocked(raw_directory));
  run.finish();
  CHECK_FALSE(raw::is_unlocked(raw_directory));
  run.session->release_raw_trace();
  CHECK(raw::is_unlocked(raw_directory));
  CHECK_FALSE(raw::is_unlocked(run.scratch.path()));  // none
}

TEST_CASE("after the end threads find no channel, and the rings are gone") {
  Run run;
  run.start();
  record_numbers(5);
  const auto trace = run.finish();
  CHECK(trace->report().spool.empty());
  record_numbers(5);
  CHECK(this_channel() == nullptr);
  CHECK(read_all(*trace, 0).size() == 5);
  CHECK(run.session->finish(Ending::exit));
}

TEST_CASE("a thread that comes from a run that is over is in the next one with its first record") {
  for (const std::uint64_t count : {3u, 5u}) {
    Run run;
    run.start();
    record_numbers(count);
    const auto values = numbers(read_all(*run.finish(), 0));
    CHECK(values.size() == count);
    CHECK(counts_up(values, 0));
  }
}

TEST_CASE("the end may come while threads record") {
  Run run;
  run.start();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (std::uint64_t n = 0; !stop; ++n) {
        if (auto* channel = this_channel()) channel->emit(numbered(n));
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto trace = run.finish();
  stop = true;
  for (auto& thread : threads) thread.join();
  for (const auto& channel : trace->journal().channels) CHECK(counts_up(numbers(read_all(*trace, channel.id)), 0));
}

TEST_CASE("the end may come while threads come and go, and nothing is said of those that come too late") {
  for (int round = 0; round < 60; ++round) {
    Run run;
    const Said said{run.scratch.path() / "said"};
    run.start();
    std::atomic<bool> stop{false};
    std::atomic<unsigned> ended{0};
    std::vector<std::thread> parents;
    for (int i = 0; i < 3; ++i) {
      parents.emplace_back([&] {
        for (; !stop; ++ended) std::thread(record_numbers, 10).join();
      });
    }
    while (ended < 10) std::this_thread::yield();
    const auto trace = run.finish();
    stop = true;
    for (auto& thread : parents) thread.join();
    for (const auto& channel : trace->journal().channels) CHECK(counts_up(numbers(read_all(*trace, channel.id)), 0));
    CHECK(said.text().empty());
  }
}

namespace {

/// What a runtime records of a process that does not use it.
void record_start_of_runtime() {
  Record record = numbered(0);
  for (const RecordKind kind : {RecordKind::thread_begin, RecordKind::initial_task, RecordKind::thread_end}) {
    record.kind = kind;
    this_channel()->emit(record);
  }
}

}  // namespace

TEST_CASE("a forked child leaves its parent's trace alone and has its own when it uses a runtime") {
#if defined(__SANITIZE_THREAD__)
  SKIP_TEST("ThreadSanitizer ends a forked child that starts a thread");
#endif
  Run run;
  run.start();
  record_numbers(100);
  for (const bool records : {false, true}) {
    REQUIRE(goes_well_in_child([records] {
      record_start_of_runtime();
      if (records) record_numbers(50);
    }));
    CHECK(std::filesystem::exists(run.scratch.path() / "out.2") == records);
  }
  REQUIRE(goes_well_in_child([] { record_numbers(1); }));  // one use is enough
  record_numbers(100);
  const auto trace = run.finish();
  CHECK(trace->report().complete);
  CHECK(read_all(*trace, 0).size() == 200);
  const auto childs = raw::open_trace(run.scratch.path() / "out.2");
  CHECK(childs->report().complete);
  CHECK(read_all(*childs, 0).size() == 53);  // what was before its first use too
  CHECK(read_all(*raw::open_trace(run.scratch.path() / "out.3"), 0).size() == 1);
}

TEST_CASE("what is recorded is private to the user, where it lies is as the umask says") {
  const mode_t before = ::umask(027);
  Run run;
  run.start();
  record_numbers(1);
  struct stat info {};
  REQUIRE(::stat(run.session->directory().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0750);
  REQUIRE(::stat(run.session->raw_directory().c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0700);
  for (const auto& file : {run.session->raw_directory() / "journal", run.session->raw_directory() / "trace",
                           run.session->spool().directory() / "rings"}) {
    REQUIRE(::stat(file.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  run.finish();
  ::umask(before);
}
