// SPDX-License-Identifier: BSD-3-Clause
// Windows: their numbers, which one-sided operations are not complete yet, which locks are held.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/mpi/state.hpp"

namespace tracer::mpi {

inline constexpr std::uint32_t all_ranks = 0xffffffffu;

struct RmaOperation {
  std::uint64_t id = 0;     ///< unique in the process
  std::uint64_t begun = 0;  ///< the how-many-th of its window
  std::uint32_t target = 0;
  bool is_get = false;  ///< complete at both sides when it is complete at this one
};
/// What a synchronisation makes of operations.
enum class Completes : std::uint8_t {
  here,          ///< they are complete at this side, and later ones complete them at the other
  here_at_last,  ///< nothing more of them will be known at this side: MPI_Win_complete
  everywhere,
};

/// Made once, never freed: records name it by its number.
struct Window {
  std::uint32_t id = 0;
  std::uint32_t rank = 0;  ///< of this process in it
  std::uint32_t size = 0;
  bool is_allocated = false;
  const char* fact = "";
  std::uint32_t started = no_group, posted = no_group;  ///< groups of the epochs that are open

  /// Operations and locks; counted with the lock held.
  std::uint64_t so_far() const noexcept { return begun.load(std::memory_order_relaxed); }
  std::atomic<std::uint64_t> begun{0};

  // Guarded by lock; of all threads.
  SpinLock lock;
  RmaOperation* open = nullptr;  ///< those in front are complete at this side
  std::size_t local = 0, count = 0, room = 0;
  struct Held {
    std::uint64_t begun = 0;
    std::uint32_t target = 0;
    std::uint8_t type = 0;
    bool is_recorded = false;  ///< held for certain, since an operation or a flush was complete
  };
  Held* held = nullptr;
  std::size_t held_count = 0, held_room = 0;
  Window* next = nullptr;  ///< of take_windows()

  static constexpr std::uint32_t no_group = 0xffffffffu;
};

/// Before a window is made on the communicator. nullptr: there are too many, or no memory, and its operations are
/// counted only.
Window* new_window(const Comm& comm, bool is_allocated) noexcept;
/// It is made, the how-many-th on the communicator, and has that handle from now on.
void keep_window(Word handle, Window* window, Comm& comm) noexcept;
void forget_window(Word handle, const Window& window) noexcept;
/// nullptr: none of ours.
Window* window_of(Thread& thread, Word argument) noexcept;
/// Takes those that are not gone, as a list by `next`.
Window* take_windows() noexcept;
void name_window(const Window& window, const char* name) noexcept;

/// The number of a group's members in MPI_COMM_WORLD; Window::no_group: no memory.
std::uint32_t group_number(Word group) noexcept;

/// False: no memory, or too many are open, and what completes it is not followed. Where it is one of too many, those
/// that are complete here already are forgotten first: their completion at the other side is counted only.
bool add_operation(Window& window, std::uint64_t id, std::uint32_t target, bool is_get) noexcept;
/// The operations to `target` (all_ranks: all) that a synchronisation has completed: those of the first `begun`, which
/// were there when it began. What other threads begin while it goes on is not complete by it. Their ids are the
/// thread's until its next call; the number of them. Those that are complete here already are taken only everywhere,
/// and gets only once.
std::size_t take_operations(Thread& thread, Window& window, std::uint32_t target, std::uint64_t begun,
                            Completes completes, std::uint64_t*& ids) noexcept;
/// A request's: whether it was still open here.
bool end_here(Window& window, std::uint64_t id) noexcept;

void add_lock(Window& window, std::uint32_t target, std::uint8_t type) noexcept;
/// Of the locks that cover `target` (all_ranks: of all) and are among the first `begun` one that is not yet recorded as
/// held; it is from now on. Called until it is false.
bool take_unrecorded_lock(Window& window, std::uint32_t target, std::uint64_t begun, Window::Held& lock) noexcept;
/// The last one that was added.
void remove_lock(Window& window, std::uint32_t target) noexcept;
/// Takes any; false: there is none.
bool take_lock(Window& window, Window::Held& lock) noexcept;

}  // namespace tracer::mpi
