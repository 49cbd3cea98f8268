// SPDX-License-Identifier: BSD-3-Clause
// See world.hpp.
#include "tracer/mpi/world.hpp"

#include <cstdlib>

#include "tracer/mpi/text.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {
namespace {

constexpr const char* process_set = "mpi://WORLD";
constexpr int most_sessions = 64;  ///< that are remembered, at a time

constinit Comm world;
constinit Comm self{.id = 1, .size = 1, .identity = "SELF"};
constinit std::atomic<bool> has_session{false};

// Guarded by world_lock.
constinit SpinLock world_lock;
constinit bool has_world = false;             ///< between MPI_Init and MPI_Finalize
constinit Word sessions[most_sessions] = {};  ///< that are open
constinit int open_sessions = 0;
constinit Word group = 0;          ///< of all processes
constinit Word group_session = 0;  ///< whose; 0: of MPI_COMM_WORLD

void record_library() noexcept {
  record_fact(properties::fact(properties::mpi_family), family.name());
  if (const Description description; description.line[0] != '\0')
    record_fact(properties::fact(properties::mpi_library), description.line);
}

/// From what there is. False: nothing identifies the processes.
bool take_group() noexcept {
  group_session = 0;
  if (has_world) return ask(MpiFunction::Comm_group, family.comm_world, &group) == 0;
  for (int i = 0; i < open_sessions; ++i) {
    if (ask(MpiFunction::Group_from_session_pset, sessions[i], process_set, &group) != 0) continue;
    group_session = sessions[i];
    return true;
  }
  return false;
}
void give_group_back() noexcept {
  if (group != 0) ask(MpiFunction::Group_free, &group);
  group = 0;
}

/// From here on MPI may be called. All of them are called what MPI_Init calls them, where there is or was one.
void number_processes() noexcept {
  ask(MpiFunction::Group_size, group, &world.size);
  ask(MpiFunction::Group_rank, group, &world.rank);
  if (has_world || *world.fact == '\0') {
    record_fact(properties::fact(properties::mpi_world_size), world.size);
    record_fact(properties::fact(properties::mpi_world_rank), world.rank);
    Text text;
    text.add("identity=WORLD;size=%d;rank=%d;members=0-%d", world.size, world.rank, world.size - 1);
    world.identity = "WORLD";
    world.fact = text.keep();
    name_comm(world, has_world ? "MPI_COMM_WORLD" : process_set);
  }
  is_live.store(true, std::memory_order_release);
}

constinit bool is_ending = false;  ///< in MPI_Finalize: a group that is taken is given back at once

/// What goes on has a group, or no further call of MPI follows.
void change_hands() noexcept {
  give_group_back();
  if (!take_group()) is_live.store(false, std::memory_order_release);
}

}  // namespace

Comm& world_comm() noexcept {
  return world;
}
Comm& self_comm() noexcept {
  const Locked lock(world_lock);
  if (*self.fact == '\0') {
    Text text;
    text.add("identity=SELF;size=1;rank=0;members=%d", world.rank);
    self.fact = text.keep();
    name_comm(self, "MPI_COMM_SELF");
  }
  return self;
}

bool begin(int threads_provided) noexcept {
  const Locked lock(world_lock);
  record_library();
  record_fact(properties::fact(properties::mpi_threads), family.level_name(threads_provided));
  int level = 0;  // as it is: MPI_Init requests none, and some MPIs get it from their environment
  if (!has_session.load(std::memory_order_relaxed) && ask(MpiFunction::Query_thread, &level) == 0 &&
      !family.is_multiple(level))
    has_threads.store(false, std::memory_order_release);
  initial_thread.store(&this_thread, std::memory_order_relaxed);
  has_world = true;
  give_group_back();  // a session's
  if (!take_group()) {
    has_world = false;
    change_hands();
    return false;
  }
  number_processes();
  remember_comm(family.comm_world, world);
  remember_comm(family.comm_self, self);
  return true;
}

void begin_end() noexcept {
  const Locked lock(world_lock);
  is_ending = true;
  give_group_back();
}

void end() noexcept {
  const Locked lock(world_lock);
  is_ending = has_world = false;
  change_hands();
}

void expect_session() noexcept {
  has_session.store(true, std::memory_order_relaxed);
  has_threads.store(true, std::memory_order_release);
}

void begin_session(Word session) noexcept {
  const Locked lock(world_lock);
  if (open_sessions == most_sessions) return;
  sessions[open_sessions++] = session;
  if (group != 0) return;
  record_library();
  if (take_group()) number_processes();
}

void end_session(Word session) noexcept {
  const Locked lock(world_lock);
  int left = 0;
  for (int i = 0; i < open_sessions; ++i)
    if (sessions[i] != session) sessions[left++] = sessions[i];
  open_sessions = left;
  if (group != 0 && group_session == session) change_hands();
}

bool is_last_session(Word session) noexcept {
  const Locked lock(world_lock);
  return !has_world && open_sessions == 1 && sessions[0] == session;
}

int* world_ranks_of(Word of, int size) noexcept {
  const auto count = static_cast<std::size_t>(size > 0 ? size : 0);
  auto* const ranks = static_cast<int*>(std::malloc((2 * count + 1) * sizeof(int)));
  if (ranks == nullptr) return nullptr;
  for (int i = 0; i < size; ++i) ranks[count + static_cast<std::size_t>(i)] = i;
  const Locked lock(world_lock);
  if (group == 0 && is_ending) take_group();
  if (group == 0 || ask(MpiFunction::Group_translate_ranks, of, size, ranks + count, group, ranks) != 0)
    for (int i = 0; i < size; ++i) ranks[i] = -1;
  if (is_ending) give_group_back();
  return ranks;
}

}  // namespace tracer::mpi
