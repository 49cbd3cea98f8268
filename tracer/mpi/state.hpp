// SPDX-License-Identifier: BSD-3-Clause
// The wrappers' state: of the process, of each thread, of each communicator.
//
// No call of MPI is made but such as the standard makes local (sizes, ranks, groups), and their answers are kept by
// handle.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/front_end.h"
#include "tracer/mpi/family.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/record.hpp"

namespace tracer::mpi {

/// A lock that is held for a few instructions.
class SpinLock {
 public:
  void lock() noexcept {
    while (taken_.exchange(true, std::memory_order_acquire)) wait();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept;
  std::atomic<bool> taken_{false};
};

class Locked {
 public:
  explicit Locked(SpinLock& lock) noexcept : lock_(lock) { lock_.lock(); }
  ~Locked() { lock_.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  SpinLock& lock_;
};

/// Whether several threads may be in MPI at a time (MPI_THREAD_MULTIPLE, or a session that may have requested it).
extern std::atomic<bool> has_threads;
struct Thread;
/// That called MPI_Init.
extern std::atomic<const Thread*> initial_thread;

/// A communicator that the process is in. Made once, never freed: records name it by its number.
struct Comm {
  std::uint32_t id = 0;
  int size = 0, rank = 0;
  int remote = 0;           ///< size of the remote group; 0: an intracommunicator
  bool is_made = false;     ///< its begin was recorded
  bool is_foreign = false;  ///< with processes of another MPI_COMM_WORLD: what is sent there is only counted
  std::atomic<std::uint32_t> children{0}, windows{0};  ///< made of it
  std::atomic<int> sources{-1}, destinations{-1};      ///< of its topology; -1: not queried yet
  const char* identity = "";
  const char* fact = "";   ///< docs/formats/job-parts.md, without the name
  std::uint32_t made = 0;  ///< the how-many-th made of the same, if not by all of its parent

  /// Ranks that a collective operation moves data to or from.
  std::uint64_t others() const noexcept { return static_cast<std::uint64_t>(remote != 0 ? remote : size); }
};

struct Pending;
struct Place;
struct Places;
struct Window;
struct File;

extern Place no_places[];
inline constexpr unsigned no_places_shift = 63;

struct Thread {
  Word stack = 0;  ///< where the program's was when it called the wrapper that it is in: what MPI calls is not its own
  MpiFunction function{};          ///< which
  std::uint64_t asking_since = 0;  ///< when it began, where that is recorded only with what it found
  Word asking_caller = 0;          ///< and from where
  Word fortran_caller = 0;         ///< where the program called a Fortran subroutine from
  Word depth = 0;                  ///< of `suspended`
  struct KnownType {
    Word handle = 0;
    std::uint32_t generation = 0;
    std::uint64_t size = 0;
  } types[16];
  struct KnownComm {
    Word handle = 0;
    std::uint32_t generation = 0;
    Comm* comm = nullptr;
  } comms[4];
  struct KnownWindow {
    Word handle = 0;
    std::uint32_t generation = 0;
    Window* window = nullptr;
  } window;
  std::uint64_t next_number = 0, numbers_left = 0;  ///< of requests
  Place* places = no_places;                        ///< for what it begins, by the hash's upper bits
  unsigned places_shift = no_places_shift;
  Places* own_places = nullptr;     ///< the same; nullptr: it has begun nothing
  Places* last_places = nullptr;    ///< of another thread, whose requests this one waited for
  Pending* free_pending = nullptr;  ///< for its next requests
  std::size_t free_count = 0;       ///< of them
  Pending** requests = nullptr;     ///< scratch for as many as the largest Waitall had
  std::size_t requests_room = 0;
  char* statuses = nullptr;
  std::size_t statuses_room = 0;
  std::uint64_t* ids = nullptr;  ///< scratch for as many as a synchronisation completed, or the largest Startall had
  std::size_t ids_room = 0;
  /// A call that the program is inside of while MPI has called a function of the program's (callbacks.hpp).
  struct Suspended {
    Word stack;
    MpiFunction function;
    Word fortran_caller;
    std::uint64_t asking_since;
  };
  static constexpr Word most_suspended = 8;
  Suspended suspended[most_suspended] = {};
};

extern constinit thread_local Thread this_thread __attribute__((tls_model("initial-exec")));

/// nullptr: nothing is recorded (before MPI_Init, without a trace, of an MPI that is not known).
extern std::atomic<const tracer_front_end*> front;
/// MPI may be called (world.hpp).
extern std::atomic<bool> is_live;

/// Before the MPI is initialised: finds the family and the trace.
void connect() noexcept;
/// connect() was called: the program has begun with MPI by a call that came by here.
extern std::atomic<bool> has_connected;

/// Records the fact of this name (docs/formats/job-parts.md); or of this family (prefix) and number.
void record_fact(const char* name, const char* value) noexcept;
void record_fact(const char* name, int value) noexcept;
void record_fact(const char* prefix, std::uint32_t number, const char* value) noexcept;

/// What is in the program and not in the trace but as a region; counted for the archive's properties.
enum class Unrecorded : std::uint8_t {
  foreign_message,
  freed_receive,
  left_receive,
  failed_receive,
  failed_send,
  cancelled_send,
  failed_lock,
  failed_collective,
  one_sided,
  completion,
  file_operation,
  poll,
  count_
};
extern std::atomic<std::uint64_t> unrecorded[static_cast<std::size_t>(Unrecorded::count_)];
/// Calls that test and find nothing are recorded.
extern bool records_polls;
/// Requests that went on at MPI's end, or of whose end there was no memory to know; counted likewise.
extern std::atomic<std::uint64_t> never_completed;
inline void count_unrecorded(Unrecorded what, std::uint64_t count = 1) noexcept {
  unrecorded[static_cast<std::size_t>(what)].fetch_add(count, std::memory_order_relaxed);
}

std::uint64_t query_type_size(Thread& thread, Word datatype) noexcept;
extern std::atomic<std::uint32_t> type_generation, comm_generation, window_generation;

inline std::size_t slot_of(Word handle, std::size_t slots) noexcept {
  return (handle ^ handle >> 4 ^ handle >> 12) & (slots - 1);
}

/// Bytes of one element.
[[gnu::always_inline]] inline std::uint64_t type_size(Thread& thread, Word datatype) noexcept {
  const Word handle = family.handle(datatype);
  const auto& known = thread.types[slot_of(handle, 16)];
  if (known.handle == handle && known.generation == type_generation.load(std::memory_order_relaxed)) [[likely]]
    return known.size;
  return query_type_size(thread, handle);
}

/// Of that many elements. MPI is not queried about the type of no elements: it may be MPI_DATATYPE_NULL or invalid,
/// and that query ends the program.
inline std::uint64_t bytes_of(Thread& thread, std::uint64_t count, Word datatype) noexcept {
  return count == 0 ? 0 : count * type_size(thread, datatype);
}

Comm* find_comm(Thread& thread, Word handle) noexcept;

/// Never nullptr: one that was made by a function that we do not follow is added.
[[gnu::always_inline]] inline Comm& comm_of(Thread& thread, Word argument) noexcept {
  const Word handle = family.handle(argument);
  const auto& known = thread.comms[slot_of(handle, 4)];
  if (known.handle == handle && known.generation == comm_generation.load(std::memory_order_relaxed)) [[likely]]
    return *known.comm;
  return *find_comm(thread, handle);
}

enum class Making : char {
  by_parent = '/',  ///< all of the parent made it together
  by_dup = '=',     ///< so they did, and its members are the parent's
  by_group = 'g',   ///< only its members did
  by_merge = 'm',
  by_leaders = 'i',  ///< an intercommunicator
  by_session = 's',  ///< of groups
  foreign = 'f',
};
constexpr bool is_by_all(Making making) noexcept {
  return making == Making::by_parent || making == Making::by_dup;
}
/// The communicator that `handle` is from now on; nullptr for MPI_COMM_NULL. Where all of the parent made it `ordinal`
/// is next_child()'s, taken when the call has succeeded: one that failed is none of the parent's. `peer`: of
/// Making::by_leaders the communicator in which the leaders found each other, which only they have (nullptr).
Comm* add_comm(Word handle, Comm& parent, Making making, std::uint32_t ordinal, const Comm* peer = nullptr) noexcept;
inline std::uint32_t next_child(Comm& parent) noexcept {
  return parent.children.fetch_add(1, std::memory_order_relaxed) + 1;
}
/// What the handle means from now on.
void remember_comm(Word handle, Comm& comm) noexcept;
void forget_comm(Word handle, const Comm& comm) noexcept;
void name_comm(const Comm& comm, const char* name) noexcept;
/// Neighbours in the communicator's topology.
std::uint64_t sources_of(Comm& comm, Word handle) noexcept;
std::uint64_t destinations_of(Comm& comm, Word handle) noexcept;

/// The number of "MPI_Pcontrol <level>".
std::uint32_t control_name(int level) noexcept;

}  // namespace tracer::mpi
