// SPDX-License-Identifier: BSD-3-Clause
// See starting.hpp.
#include "tracer/starting.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include "tracer/session/fork.hpp"

namespace tracer::tool {

constinit std::mutex starting;

namespace {

constinit ForkLock fork_lock{starting};
std::atomic<long> starter{0};  ///< the thread; 0: none
std::atomic<void (*)()> call_in_child{nullptr};

long own_thread_id() noexcept {
  return ::syscall(SYS_gettid);
}

// Before a fork. Nobody waits for longer than a second: C libraries before glibc 2.36 hold their lock of the handlers
// now, and the thread that starts may wait for that.
void await_the_runtimes_start() noexcept {
  constexpr timespec moment{0, 1'000'000};
  constexpr int most_moments = 1000;
  long who = starter.load();
  if (who == 0 || who == own_thread_id()) return;
  for (int i = 0; i < most_moments && starter.load() == who; ++i) ::nanosleep(&moment, nullptr);
  starter.compare_exchange_strong(who, 0);
  constexpr timespec rest{0, 10'000'000};  // of the runtime's own start, until it gives the lock back
  ::nanosleep(&rest, nullptr);
}

}  // namespace

std::unique_lock<std::mutex> lock_unless(bool (*may_await_caller)() noexcept) noexcept {
  constexpr timespec moment{0, 1'000'000};
  std::unique_lock lock(starting, std::defer_lock);
  while (!may_await_caller() && !lock.try_lock()) ::nanosleep(&moment, nullptr);
  return lock;
}

std::unique_lock<std::mutex> lock_for_the_end() noexcept {
  constexpr timespec moment{0, 1'000'000};
  constexpr int most_moments = 5000;
  std::unique_lock lock(starting, std::try_to_lock);
  for (int i = 0; i < most_moments && !lock.owns_lock(); ++i) {
    ::nanosleep(&moment, nullptr);
    static_cast<void>(lock.try_lock());
  }
  return lock;
}

WhileStarting::WhileStarting() noexcept {
  starter.store(own_thread_id());
}

WhileStarting::~WhileStarting() {
  if (!continues_) starter.store(0);
}

bool this_thread_starts() noexcept {
  return starter.load() == own_thread_id();
}

void prepare_for_forks(void (*in_child)()) {
  call_in_child.store(in_child);
  // Before the lock is taken: a thread that forks holds the C library's lock of these lists, and waits for ours. The
  // last to be registered is called first: this lock comes before the session's, as it does where a run begins.
  Session::prepare_for_forks();
  static const int registered = ::pthread_atfork(
      [] {
        await_the_runtimes_start();
        fork_lock.take();
      },
      [] { fork_lock.give_back(); },
      [] {
        starter.store(0);
        call_in_child.load()();
        fork_lock.give_back();
      });
  static_cast<void>(registered);
}

}  // namespace tracer::tool
