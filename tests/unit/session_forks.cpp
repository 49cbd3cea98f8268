// SPDX-License-Identifier: BSD-3-Clause
// What a forked child can do whatever its parent's threads were at, and what its own threads record.
#include <link.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <latch>
#include <thread>

#include "catch.hpp"
#include "formats/raw/reader.hpp"
#include "tests/unit/session_run.hpp"
#include "tracer/base/loaded_objects.hpp"
#include "tracer/base/loader_gate.hpp"
#include "tracer/session/modules.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("nobody looks at the loader while a thread forks, so that the child can") {
  constexpr int children = 100;
  constexpr unsigned child_seconds = 60;  // one that has not ended by then hangs
  std::atomic<bool> is_over{false};
  std::thread other([&is_over] {
    while (!is_over) {
      LoaderWatch::look();
      for_each_object([](const LoadedObject&) { return false; });
    }
  });
  int good = 0, unknown = 0;
  for (int i = 0; i < children; ++i) {
    LoaderGate::hold();
    if (LoaderWatch::look() == LoaderWatch::unknown) ++unknown;
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(child_seconds);
      LoaderGate::resume_in_child();
      ::dl_iterate_phdr([](dl_phdr_info*, std::size_t, void*) { return 1; }, nullptr);
      ::_exit(LoaderWatch::look() == LoaderWatch::unknown ? 1 : 0);
    }
    LoaderGate::resume();
    int status = 1;
    if (child > 0 && ::waitpid(child, &status, 0) == child && status == 0) ++good;
  }
  is_over = true;
  other.join();
  CHECK(unknown == children);
  CHECK(good == children);
  CHECK(LoaderWatch::look() != LoaderWatch::unknown);
}

TEST_CASE("the thread that forks may look at the loader's list, and others are refused until it has forked") {
  const auto one = [](dl_phdr_info*, std::size_t, void*) noexcept { return 1; };
  const auto try_elsewhere = [&one] {
    int got = 0;
    std::thread([&got, &one] { got = LoaderGate::try_iterate(one, nullptr); }).join();
    return got;
  };
  LoaderGate::hold();
  bool has_looked = false;
  for_each_object([&has_looked](const LoadedObject&) { return has_looked = true; });
  CHECK(has_looked);
  CHECK(try_elsewhere() == LoaderGate::held);
  LoaderGate::resume();
  CHECK(try_elsewhere() == 1);
}

TEST_CASE("the few words of a forked child's thread that has ended are in the child's trace") {
#if defined(__SANITIZE_THREAD__)
  SKIP_TEST("ThreadSanitizer ends a forked child that starts a thread");
#elif defined(__SANITIZE_ADDRESS__)
  SKIP_TEST("AddressSanitizer's allocator stays locked in the child where the drainer, just started, allocates");
#endif
  Run run;
  run.start();
  REQUIRE(goes_well_in_child([] {
    std::thread([] {
      for (const RecordKind kind : {RecordKind::range_push, RecordKind::range_pop}) {
        Record word{};
        word.time = now();
        word.kind = kind;
        if (auto* channel = this_channel()) channel->emit(word);
      }
    }).join();
  }));
  run.finish();
  const auto childs = raw::open_trace(run.scratch.path() / "out.2");
  CHECK(childs->report().complete);
  CHECK(read_all(*childs, 0).size() == 2);
}

TEST_CASE("a thread for which no ring was left is recorded in its forked child") {
#if defined(__SANITIZE_THREAD__)
  SKIP_TEST("ThreadSanitizer ends a forked child that starts a thread");
#endif
  Run run;
  run.config.memory = 16 << 10;  // one ring
  run.start();
  std::latch has_ring{1}, is_over{1};
  std::thread other([&] {
    record_numbers(1);
    has_ring.count_down();
    is_over.wait();
  });
  has_ring.wait();
  CHECK(this_channel() == nullptr);
  CHECK(goes_well_in_child([] { record_numbers(5); }));
  is_over.count_down();
  other.join();
  run.finish();
  CHECK(read_all(*raw::open_trace(run.scratch.path() / "out.2"), 0).size() == 5);
}
