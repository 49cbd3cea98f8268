// SPDX-License-Identifier: BSD-3-Clause
// See clocks.hpp.
#include "tracer/mpi/clocks.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "tracer/mpi/state.hpp"
#include "tracer/mpi/text.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {
namespace {

constexpr int least_exchanges = 40, burst = 10, kept_exchanges = 6;
/// ns that exchanges with one rank may take where they do not settle: since the network is uneven, and since processors
/// are short.
constexpr std::int64_t longest = 200'000'000, longest_disturbed = 600'000'000;
/// ns that are waited awake, at the most and at the least.
constexpr std::int64_t most_patience = 500'000, least_patience = 30'000;
/// ns that a processor is kept by who waits awake: until then who would answer on the same one has no turn. Longer
/// than a tick of the scheduler: so that it moves that one to another.
constexpr std::int64_t shortest_alone = 5'000, longest_alone = 10'000'000;
/// ns that are waited for a rank that has come to the comparison: longer than it may be in the rounds before.
constexpr std::int64_t longest_wait = 20'000'000'000, for_ever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t shortest_nap = 50'000, longest_nap = 1'000'000, longest_pause = 8'000'000;

/// A message there and one back, by the clocks of both.
struct Exchange {
  std::uint64_t sent = 0, there = 0, back = 0, received = 0;
  bool was_disturbed = true;  ///< one of both has not had its processor all the time
  std::uint64_t took() const noexcept { return received - sent - (back - there); }
};

// Written in MPI_Init, read in MPI_Finalize.
constinit Word own_comm = 0;       ///< 0: clocks are not compared
constinit int* leaders = nullptr;  ///< the first rank of each clock
constinit int clocks = 0, own_place = -1;
constinit int tag = 0;  ///< of the comparison that goes on

std::int64_t monotonic() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

/// How often this thread has given its processor away, or lost it.
std::uint64_t switches() noexcept {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
}

void sleep_for(std::int64_t nanoseconds) noexcept {
  const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
  ::nanosleep(&time, nullptr);
}

/// An MPI that goes on without a rank tells this to those who ask for messages of anyone.
bool is_a_rank_lost() noexcept {
  alignas(8) char status[64];
  int found = 0;
  return ask(MpiFunction::Iprobe, family.any_source, tag, own_comm, &found, &status[0]) != 0;
}

/// In crowded launches there are more ranks than processors: who waits awake for what does not come takes the processor
/// from those whose clocks are compared, and may take it from the one that would answer. Answers come sooner than
/// `patience`, so none of them is slept through.
class Waiting {
 public:
  explicit Waiting(std::int64_t patience, std::int64_t alone = shortest_alone,
                   std::int64_t limit = longest_wait) noexcept
      : begin_{monotonic()}, patience_{patience}, alone_{alone}, limit_{limit} {}
  /// False: what is waited for may never come.
  bool go_on() const noexcept {
    const std::int64_t waited = monotonic() - begin_;
    if (waited >= std::max(patience_, alone_)) {
      sleep_for(std::clamp(waited / 8, shortest_nap, longest_nap));
      return waited < limit_ && !is_a_rank_lost();
    }
    if (waited >= alone_) ::sched_yield();
    return true;
  }

 private:
  const std::int64_t begin_, patience_, alone_, limit_;
};

bool send(const std::uint64_t* words, int count, int to) noexcept {
  return ask(MpiFunction::Send, words, count * 8, family.byte, to, tag, own_comm) == 0;
}
bool receive(std::uint64_t* words, int count, int from, const Waiting& waiting) noexcept {
  alignas(8) char status[64];
  int found = 0;
  do {
    if (ask(MpiFunction::Iprobe, from, tag, own_comm, &found, &status[0]) != 0) return false;
  } while (found == 0 && waiting.go_on());
  if (found == 0) return false;
  return ask(MpiFunction::Recv, words, count * 8, family.byte, from, tag, own_comm, &status[0]) == 0;
}

void record_exchanges(const Exchange* best, int count, int peer, const char* when) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  char name[64];
  std::snprintf(name, sizeof name, "%s%s::%d", properties::fact(properties::mpi_clock), when, peer);
  Text value;
  for (int i = 0; i < count; ++i)
    value.add("%s%llu %llu %llu %llu", i == 0 ? "" : ";", static_cast<unsigned long long>(best[i].sent),
              static_cast<unsigned long long>(best[i].there), static_cast<unsigned long long>(best[i].back),
              static_cast<unsigned long long>(best[i].received));
  table->fact(name, value.get());
}

/// The quickest exchanges, in order; before them those that nothing disturbed.
struct Best {
  Exchange all[kept_exchanges];
  int count = 0;

  static bool is_better(const Exchange& a, const Exchange& b) noexcept {
    return a.was_disturbed == b.was_disturbed ? a.took() < b.took() : b.was_disturbed;
  }
  void add(const Exchange& e) noexcept {
    if (count == kept_exchanges && !is_better(e, all[kept_exchanges - 1])) return;
    int at = count < kept_exchanges ? count++ : kept_exchanges - 1;
    for (; at > 0 && is_better(e, all[at - 1]); --at) all[at] = all[at - 1];
    all[at] = e;
  }
  /// So often that less does not measure the network.
  bool is_disturbed() const noexcept { return count < kept_exchanges || all[kept_exchanges - 1].was_disturbed; }
  /// Nothing much quicker is to be expected: several were as quick as that.
  bool is_settled() const noexcept {
    return !is_disturbed() && all[kept_exchanges - 1].took() <= all[0].took() + all[0].took() / 4;
  }
};

/// The asking side sends with each message how long it is worth waiting awake for the next one, 0: there is none. While
/// it does not settle there are pauses between bursts, longer and longer, and by chance: others that are compared on
/// the same processors are then done, or pause. False: the other does not answer.
bool measure_clock_of(int peer, const char* when) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  Best best;
  std::int64_t patience = most_patience, quickest = most_patience, pause = 2 * shortest_nap;
  std::uint64_t their_switches = 0;
  const std::int64_t begin = monotonic();
  for (int i = 1; patience != 0; ++i) {
    const std::int64_t before = monotonic();
    const std::uint64_t own_switches = switches();
    const bool is_settled = best.is_settled();
    // What takes longer than is waited awake looks disturbed, too.
    const std::int64_t limit = best.is_disturbed() && quickest < most_patience ? longest_disturbed : longest;
    if (i >= least_exchanges && (is_settled || before - begin > limit)) patience = 0;
    const bool pauses = i % burst == 0 && !is_settled && patience != 0;
    Exchange e;
    std::uint64_t theirs[3] = {};
    e.sent = table->now();
    const std::uint64_t mine[2] = {e.sent, static_cast<std::uint64_t>(pauses ? least_patience : patience)};
    if (!send(mine, 2, peer)) return false;
    const bool stays = i > least_exchanges && i % burst == 1 && !is_settled;
    if (!receive(theirs, 3, peer, Waiting{patience, stays ? longest_alone : shortest_alone})) return false;
    e.received = table->now();
    e.there = theirs[0];
    e.back = theirs[1];
    e.was_disturbed = i == 1 || switches() != own_switches || theirs[2] != their_switches;
    their_switches = theirs[2];
    best.add(e);
    quickest = std::min(quickest, monotonic() - before);
    if (patience != 0) patience = std::clamp(8 * quickest, least_patience, most_patience);
    if (!pauses) continue;
    const auto chance = static_cast<std::int64_t>((e.received * 0x9e3779b97f4a7c15ull) >> 40);
    sleep_for(pause / 2 + chance % pause);
    pause = std::min(2 * pause, best.is_disturbed() ? longest_pause : 4 * shortest_nap);
  }
  record_exchanges(best.all, best.count, peer, when);
  return true;
}

/// False: the other does not ask.
bool answer(int peer) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  std::uint64_t asked[2] = {0, static_cast<std::uint64_t>(most_patience)};
  while (asked[1] != 0) {
    std::uint64_t mine[3];
    if (!receive(asked, 2, peer, Waiting{static_cast<std::int64_t>(asked[1])})) return false;
    mine[0] = table->now();
    mine[2] = switches();
    mine[1] = table->now();
    if (!send(mine, 3, peer)) return false;
  }
  return true;
}

/// False: a rank that takes part is not there.
bool compare(const char* when) noexcept {
  for (int step = 1; own_place >= 0 && step < clocks; step *= 2) {
    if (own_place % (2 * step) == step) return answer(leaders[own_place - step]);
    if (own_place + step < clocks && !measure_clock_of(leaders[own_place + step], when)) return false;
  }
  return true;
}

/// Until all ranks are here. False: one may never come.
bool meet(std::int64_t limit = longest_wait) noexcept {
  Word request = 0;
  alignas(8) char status[64];
  int is_done = 0;
  if (ask(MpiFunction::Ibarrier, own_comm, &request) != 0) return false;
  const Waiting waiting{most_patience, shortest_alone, limit};
  do {
    if (ask(MpiFunction::Test, &request, &is_done, &status[0]) != 0) return false;
  } while (is_done == 0 && waiting.go_on());
  return is_done != 0;
}

/// A program that goes on where MPI_COMM_WORLD has lost a rank is not ended by an error of this communicator.
void let_errors_return() noexcept {
  if (family.errors_return != 0) ask(MpiFunction::Comm_set_errhandler, own_comm, family.errors_return);
}

/// The first rank of each clock, in the order of ranks. `clock` is overwritten.
int find_leaders(std::uint64_t* clock, int size, int rank) noexcept {
  int found = 0;
  for (int i = 0; i < size; ++i) {
    const std::uint64_t* const end = clock + found;
    if (std::find(static_cast<const std::uint64_t*>(clock), end, clock[i]) != end) continue;
    clock[found] = clock[i];
    if (i == rank) own_place = found;
    leaders[found++] = i;
  }
  return found;
}

bool was_spawned() noexcept {
  Word parent = family.comm_null;
  return ask(MpiFunction::Comm_get_parent, &parent) != 0 ||
         family.load(reinterpret_cast<Word>(&parent)) != family.comm_null;
}

}  // namespace

void compare_clocks() noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  if (table->size < offsetof(tracer_front_end, clocks_of_launch) + sizeof table->clocks_of_launch) return;
  int size = 0, rank = 0;
  ask(MpiFunction::Comm_size, family.comm_world, &size);
  ask(MpiFunction::Comm_rank, family.comm_world, &rank);
  if (size < 2 || was_spawned()) return;
  const auto count = static_cast<std::size_t>(size);
  auto* const clock = static_cast<std::uint64_t*>(std::malloc(count * (sizeof(std::uint64_t) + sizeof(int))));
  if (clock == nullptr) return;  // the others agree without this rank
  leaders = reinterpret_cast<int*>(clock + count);
  const auto ranks = static_cast<std::uint32_t>(size);
  if (table->clocks_of_launch(static_cast<std::uint32_t>(rank), ranks, clock) == 0) return std::free(clock);
  clocks = find_leaders(clock, size, rank);
  Word comm = 0;
  if (ask(MpiFunction::Comm_dup, family.comm_world, &comm) != 0) return;
  own_comm = family.load(reinterpret_cast<Word>(&comm));
  let_errors_return();
  compare("BEGIN");
  meet();  // all have heard of all; and nobody computes beside what is measured
  table->clocks_of_launch(static_cast<std::uint32_t>(rank), 0, nullptr);
}

void compare_clocks_again() noexcept {
  if (own_comm == 0) return;
  tag = 1;
  // However late the others come: MPI_Finalize waits for them as well. Afterwards each waits for those that were here.
  if (meet(for_ever) && compare("END") && meet()) ask(MpiFunction::Comm_free, &own_comm);
  own_comm = 0;
}

}  // namespace tracer::mpi
