// SPDX-License-Identifier: BSD-3-Clause
// What memory the requests of threads take that begin what others complete.
#include "catch.hpp"

#include "tracer/mpi/requests.hpp"

#include <sched.h>

#include <atomic>
#include <set>
#include <thread>

namespace tracer::mpi {

// Of state.cpp and family.cpp, which need an MPI.
constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));
constinit std::atomic<bool> has_threads{true};
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

}  // namespace
}  // namespace tracer::mpi
