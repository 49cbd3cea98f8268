// SPDX-License-Identifier: BSD-3-Clause
// What memory the requests of threads take that begin what others complete.
#include "catch.hpp"

#include "tests/support/few_addresses.hpp"
#include "tracer/mpi/requests.hpp"

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>

namespace tracer::mpi {

// Of state.cpp and family.cpp, which need an MPI.
constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));
constinit std::atomic<bool> has_threads{true};
constinit std::atomic<std::uint64_t> never_completed{0};
Family family;
void SpinLock::wait() noexcept {
  ::sched_yield();
}

namespace {

constexpr Word at_a_time = 100;
constexpr int rounds = 200;

void begin_requests(std::set<const Pending*>& used) {
  for (Word i = 1; i <= at_a_time; ++i) {
    Begun begun{this_thread};
    used.insert(&*begun);
    begun.keep(i * 16);
  }
}

/// How many there were.
Word complete_requests() {
  Word completed = 0;
  for (Word i = 1; i <= at_a_time; ++i)
    if (Pending* const claimed = claim(this_thread, i * 16); claimed != nullptr) {
      remove(claimed);
      ++completed;
    }
  return completed;
}

TEST_CASE("what one thread completes is used again for what others begin") {
  std::set<const Pending*> used;
  Word completed = 0;
  for (int round = 0; round < rounds; ++round) {
    std::thread([&] { begin_requests(used); }).join();
    completed += complete_requests();
  }
  CHECK(completed == at_a_time * rounds);
  CHECK(used.size() < 6 * at_a_time);
}

TEST_CASE("what threads that have ended completed is used again for what one begins") {
  std::set<const Pending*> used;
  Word completed = 0;
  for (int round = 0; round < rounds; ++round) {
    begin_requests(used);
    std::thread([&] { completed += complete_requests(); }).join();
  }
  CHECK(completed == at_a_time * rounds);
  CHECK(used.size() < 6 * at_a_time);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which need addresses themselves
TEST_CASE("a request for which there is no memory is counted") {
  constexpr Word count = 2000;
  tracer::test::work_with_few_addresses(0, [] {
    for (Word i = 1; i <= count; ++i) {
      Begun begun{this_thread};
      begun->kind = PendingKind::send;
      begun.keep(i * 16);
    }
  });
  Word kept = 0;
  for (Word i = 1; i <= count; ++i)
    if (Pending* const claimed = claim(this_thread, i * 16); claimed != nullptr) {
      remove(claimed);
      ++kept;
    }
  CHECK(kept < count);
  CHECK(never_completed.load() == count - kept);
}
#endif

}  // namespace
}  // namespace tracer::mpi
