// SPDX-License-Identifier: BSD-3-Clause
// The ring of signals' handlers: in order, full, and left in the middle.
#include <array>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <sys/time.h>

#include "catch.hpp"
#include "tracer/sample/signal_ring.hpp"

using tracer::sample::SignalRing;

namespace {

std::vector<std::uint64_t> taken(SignalRing& ring) {
  std::vector<std::uint64_t> words(300);
  words.resize(ring.take(words));
  return words;
}

std::vector<std::uint64_t> numbered(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

SignalRing* interrupted = nullptr;
std::atomic<std::uint64_t> pushed_inside{0};
sigjmp_buf back;
volatile std::sig_atomic_t leaves = 0;

/// As numbered(), where nothing may be allocated.
template <std::size_t count>
std::array<std::uint64_t, count> array_from(std::uint64_t first) {
  std::array<std::uint64_t, count> words;
  for (std::size_t i = 0; i < count; ++i) words[i] = first + i;
  return words;
}

void push_inside(int) {
  interrupted->push(array_from<3>(1'000'000 + 1000 * pushed_inside++));
  if (leaves) siglongjmp(back, 1);
}

/// Until a signal has come, or the ring is nearly full.
__attribute__((noinline)) void push_under_signals(SignalRing& ring, std::uint64_t& pushed) {
  constexpr int least = 200, most = 3500;
  constexpr itimerval often{{0, 50}, {0, 50}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  if (sigsetjmp(back, 1) == 0) {
    const std::uint64_t before = pushed_inside;
    for (int i = 0; i < least || (i < most && pushed_inside == before); ++i) ring.push(array_from<5>(pushed++));
  }
  ::setitimer(ITIMER_REAL, &never, nullptr);
}

}  // namespace

TEST_CASE("a signal ring gives entries in the order in which they were written, also around its end") {
  SignalRing ring(1 << 10);
  CHECK(taken(ring).empty());
  for (std::uint64_t i = 0; i < 5000; ++i) {
    const std::size_t count = 1 + i % 200;
    ring.push(numbered(i, count));
    REQUIRE(taken(ring) == numbered(i, count));
  }
  CHECK(taken(ring).empty());
  CHECK(ring.take_lost() == 0);
}

TEST_CASE("a full signal ring counts what it has no room for") {
  SignalRing ring(1 << 10);
  for (std::uint64_t i = 0; i < 12; ++i) ring.push(numbered(i, 100));
  CHECK(ring.take_lost() == 2);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(taken(ring) == numbered(i, 100));
  for (std::uint64_t i = 0; i < 100; ++i) ring.push(numbered(i, 1));
  CHECK(ring.take_lost() == 100 - 64);  // entries, of 16 words each
  for (std::uint64_t i = 0; i < 64; ++i) CHECK(taken(ring) == numbered(i, 1));
}

// Signals at every instruction of a push, whose handlers push, and return or leave by a jump.
TEST_CASE("a signal ring keeps every whole entry of pushes that others interrupt, and skips those that were left") {
  SignalRing ring(1 << 16);
  interrupted = &ring;
  struct sigaction action {
  }, before{};
  action.sa_handler = push_inside;
  ::sigaction(SIGALRM, &action, &before);
  std::uint64_t pushed = 0, whole = 0, lost = 0;
  for (int round = 0; round < 400; ++round) {
    leaves = round % 2;
    push_under_signals(ring, pushed);
    for (int looks = 0; looks < 5; ++looks) {  // an entry that is not whole is waited for
      for (auto words = taken(ring); !words.empty(); words = taken(ring)) {
        const bool inside = words.front() >= 1'000'000 && words.size() == 3;
        REQUIRE(words == numbered(words.front(), inside ? 3 : 5));
        ++whole;
      }
    }
    lost += ring.take_lost();
  }
  ::sigaction(SIGALRM, &before, nullptr);
  CHECK(whole + lost <= pushed + pushed_inside.load());
  CHECK(whole > pushed / 2);
  CHECK(pushed_inside.load() > 0);
  ring.push(numbered(7, 7));
  CHECK(taken(ring) == numbered(7, 7));
}
