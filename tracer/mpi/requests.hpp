// SPDX-License-Identifier: BSD-3-Clause
// What is pending on a request. Handles are used again, and several requests may have the same one at a time: MPIs give
// a common one to all that are complete when they are made. So requests have numbers of their own, and a handle a
// queue.
//
// A thread that waits claims what it waits for before it calls MPI: when the call returns, the handle may be another's.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/mpi/state.hpp"

namespace tracer::mpi {

enum class PendingKind : std::uint8_t {
  nothing,  ///< to or from MPI_PROC_NULL, or what is not told
  send,
  receive,
  exchange,  ///< MPI_Isendrecv: a send and a receive
  collective,
  new_comm,   ///< MPI_Comm_idup
  one_sided,  ///< MPI_Rput and its like
  io,         ///< MPI_File_iread and its like
};

/// What no kind has at a time with another shares its place.
struct Pending {
  Pending* next = nullptr;  ///< of its bucket, or of the free ones
  Word handle = 0;
  std::uint64_t number = 0;  ///< of the receive, if it is an exchange, the next one
  PendingKind kind = PendingKind::nothing;
  bool is_persistent = false, is_active = true, is_partitioned = false, may_be_cancelled = false;
  MpiOperation operation{};
  int peer = 0, tag = 0;  ///< of an exchange, its receive's
  std::uint32_t root = mpi_root_none, ordinal = 0;
  union {
    Comm* comm = nullptr;
    Window* window;    ///< of a one-sided operation, whose id is `number`
    const File* file;  ///< of one of input or output, likewise
  };
  std::uint64_t sent = 0;
  union {
    std::uint64_t received = 0;
    Word new_comm;  ///< where its handle will be
  };
};

/// Takes numbers for the thread's next requests.
void take_numbers(Thread& thread) noexcept;
/// Numbers for `count` requests, two at most; the first.
inline std::uint64_t next_number(std::uint64_t count = 1) noexcept {
  Thread& thread = this_thread;
  if (thread.numbers_left < count) [[unlikely]]
    take_numbers(thread);
  thread.numbers_left -= count;
  thread.next_number += count;
  return thread.next_number - count;
}

/// Takes the first that no other thread has claimed; nullptr: none of ours.
Pending* claim(Word handle) noexcept;
/// Takes all that no thread has claimed, as a list by `next`.
Pending* claim_all() noexcept;
/// It is not over: whoever claims next finds it first.
void release(Pending* claimed) noexcept;
/// It is over.
void remove(Pending* claimed) noexcept;

/// What a call begins. Without memory for it its end will not be told.
class Begun {
 public:
  explicit Begun(Thread& thread) noexcept : pending_{take(thread)} {}
  ~Begun() {
    if (!is_kept_) remove(pending_);
  }
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun&) = delete;
  Pending& operator*() const noexcept { return *pending_; }
  Pending* operator->() const noexcept { return pending_; }
  /// It is pending on the handle: another thread may end it at any time.
  void keep(Word handle) noexcept;

 private:
  static Pending* take(Thread& thread) noexcept {
    Pending* const mine = thread.free_pending;
    if (mine == nullptr) [[unlikely]]
      return take_slowly(thread);
    thread.free_pending = mine->next;
    *mine = Pending{};
    return mine;
  }
  static Pending* take_slowly(Thread& thread) noexcept;

  Pending* const pending_;
  bool is_kept_ = false;
};

/// A thread's room for claims of that many requests, or for statuses, with anything in it; nullptr: no memory.
Pending** claims_of(Thread& thread, std::size_t count) noexcept;
Word statuses_of(Thread& thread, std::size_t count) noexcept;
std::uint64_t* ids_of(Thread& thread, std::size_t count) noexcept;

}  // namespace tracer::mpi
