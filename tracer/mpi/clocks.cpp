// SPDX-License-Identifier: BSD-3-Clause
// See clocks.hpp.
#include "tracer/mpi/clocks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "tracer/mpi/state.hpp"
#include "tracer/mpi/text.hpp"

namespace tracer::mpi {
namespace {

constexpr int exchanges = 40, exchanges_told = 6, tag = 0;

/// A message there and one back, by the clocks of both.
struct Exchange {
  std::uint64_t sent = 0, there = 0, back = 0, received = 0;
  std::uint64_t took() const noexcept { return received - sent - (back - there); }
};

// Written in MPI_Init, read in MPI_Finalize.
constinit Word own_comm = 0;       ///< 0: clocks are not compared
constinit int* leaders = nullptr;  ///< the first rank of each clock
constinit int clocks = 0, own_place = -1;

bool send(const std::uint64_t* words, int count, int to) noexcept {
  return ask(MpiFunction::Send, words, count * 8, family.byte, to, tag, own_comm) == 0;
}
bool receive(std::uint64_t* words, int count, int from) noexcept {
  alignas(8) char status[64];
  return ask(MpiFunction::Recv, words, count * 8, family.byte, from, tag, own_comm, &status[0]) == 0;
}

void tell(const Exchange* best, int count, int peer, const char* when) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  char name[64];
  std::snprintf(name, sizeof name, "MPI::CLOCK::%s::%d", when, peer);
  Text value;
  for (int i = 0; i < count; ++i)
    value.add("%s%llu %llu %llu %llu", i == 0 ? "" : ";", static_cast<unsigned long long>(best[i].sent),
              static_cast<unsigned long long>(best[i].there), static_cast<unsigned long long>(best[i].back),
              static_cast<unsigned long long>(best[i].received));
  table->fact(name, value.get());
}

/// The quickest exchanges, in order.
void ask_clock_of(int peer, const char* when) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  Exchange all[exchanges];
  for (Exchange& e : all) {
    std::uint64_t theirs[2];
    e.sent = table->now();
    if (!send(&e.sent, 1, peer) || !receive(theirs, 2, peer)) return;
    e.received = table->now();
    e.there = theirs[0];
    e.back = theirs[1];
  }
  std::partial_sort(all, all + exchanges_told, all + exchanges,
                    [](const Exchange& a, const Exchange& b) { return a.took() < b.took(); });
  tell(all, exchanges_told, peer, when);
}

void answer(int peer) noexcept {
  const auto* const table = front.load(std::memory_order_relaxed);
  for (int i = 0; i < exchanges; ++i) {
    std::uint64_t asked, mine[2];
    if (!receive(&asked, 1, peer)) return;
    mine[0] = table->now();
    mine[1] = table->now();
    if (!send(mine, 2, peer)) return;
  }
}

void compare(const char* when) noexcept {
  for (int step = 1; own_place >= 0 && step < clocks; step *= 2) {
    if (own_place % (2 * step) == step) return answer(leaders[own_place - step]);
    if (own_place + step < clocks) ask_clock_of(leaders[own_place + step], when);
  }
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
  compare("BEGIN");
  ask(MpiFunction::Barrier,
      own_comm);  // all are known to have been told of all; and nobody computes beside what is measured
  table->clocks_of_launch(static_cast<std::uint32_t>(rank), 0, nullptr);
}

void compare_clocks_again() noexcept {
  if (own_comm == 0) return;
  compare("END");
  ask(MpiFunction::Comm_free, &own_comm);
  own_comm = 0;
}

}  // namespace tracer::mpi
