// SPDX-License-Identifier: BSD-3-Clause
// What is pending on a request. Handles are used again, and several requests may have the same one at a time: MPIs give
// a common one to all that are complete when they are made. So requests have numbers of their own, and a handle a
// queue; where one thread is in MPI the first of it is found without a search (Places).
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
  collective,
  new_comm,   ///< MPI_Comm_idup
  one_sided,  ///< MPI_Rput and its like
  // What MPI's status says more of.
  receive,
  exchange,  ///< MPI_Isendrecv: a send and a receive
  io,        ///< MPI_File_iread and its like
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

inline std::uint64_t hash_of_request(Word handle) noexcept {
  return (handle >> 4 ^ handle << 28) * 0x9e3779b97f4a7c15ull;
}

/// A place for each hash, where the usual request stands: a program of one thread in MPI, one request at a time that
/// has the handle. What finds its place taken, or behind it those of the same hash, is in the queues.
struct Places {
  static constexpr unsigned bits = 10;
  static constexpr std::size_t count = std::size_t{1} << bits;
  static constexpr Word free = 0, claimed = ~Word{0};
  static std::size_t of(std::uint64_t hash) noexcept { return hash >> (64 - bits); }
  bool has(const Pending* pending) const noexcept { return pending >= pendings && pending < pendings + count; }

  Word handles[count];
  std::uint32_t queued[count];  ///< in queues, by hash
  Pending pendings[count];
};
extern constinit Places places;

/// Takes the first that no other thread has claimed; nullptr: none of ours.
Pending* claim_queued(Word handle) noexcept;
inline Pending* claim(Word handle) noexcept {
  if (handle == family.request_null) return nullptr;
  const std::size_t at = Places::of(hash_of_request(handle));
  if (!has_threads.load(std::memory_order_relaxed) && places.handles[at] == handle) [[likely]] {
    places.handles[at] = Places::claimed;
    return &places.pendings[at];
  }
  return claim_queued(handle);
}
/// Takes all that no thread has claimed, as a list by `next`.
Pending* claim_all() noexcept;
/// It is not over: whoever claims next, by the handle that it has now, finds it first.
void release(Pending* claimed) noexcept;
/// It is over.
void remove_queued(Pending* claimed) noexcept;
inline void remove(Pending* claimed) noexcept {
  if (!places.has(claimed)) [[unlikely]]
    return remove_queued(claimed);
  places.handles[claimed - places.pendings] = Places::free;
}

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

/// A send or a receive is pending on the handle: another thread may end it at any time.
[[gnu::noinline, gnu::cold]] void queue_request(Thread& thread, Word handle, PendingKind kind, std::uint64_t number,
                                                Comm& comm) noexcept;
inline void keep_request(Thread& thread, Word handle, PendingKind kind, std::uint64_t number, Comm& comm) noexcept {
  const std::size_t at = Places::of(hash_of_request(handle));
  if (has_threads.load(std::memory_order_relaxed) || places.handles[at] != Places::free || places.queued[at] != 0)
      [[unlikely]]
    return queue_request(thread, handle, kind, number, comm);
  Pending& pending = places.pendings[at];
  places.handles[at] = handle;
  pending.handle = handle;
  pending.number = number;
  pending.kind = kind;
  pending.is_persistent = false;
  pending.is_active = true;
  pending.is_partitioned = false;
  pending.may_be_cancelled = false;
  pending.comm = &comm;
}

/// A thread's room for claims of that many requests, or for statuses, with anything in it; nullptr: no memory.
Pending** claims_of(Thread& thread, std::size_t count) noexcept;
Word statuses_of(Thread& thread, std::size_t count) noexcept;
std::uint64_t* ids_of(Thread& thread, std::size_t count) noexcept;

}  // namespace tracer::mpi
