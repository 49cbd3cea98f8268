// SPDX-License-Identifier: BSD-3-Clause
// What is pending on a request. Handles are used again, and several requests may have the same one at a time: MPIs give
// a common one to all that are complete when they are made. So requests have numbers of their own, and a handle a
// queue. Most are begun and waited for by one thread, one at a time of a handle: those stand at a place of that
// thread's own, which takes no search and no lock.
//
// A thread that waits claims what it waits for before it calls MPI: when the call returns, the handle may be another's.
// Where several threads may be in MPI, others join a claim whose request they look at too: any of their calls may be
// the one that completes it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/mpi/state.hpp"

namespace tracer::mpi {

enum class PendingKind : std::uint8_t {
  nothing,  ///< to or from MPI_PROC_NULL, or not recorded
  send,
  collective,
  new_comm,   ///< MPI_Comm_idup
  one_sided,  ///< MPI_Rput and its like
  // What MPI's status describes further.
  receive,
  exchange,  ///< MPI_Isendrecv: a send and a receive
  io,        ///< MPI_File_iread and its like
};

/// What no kind has at a time with another shares its room.
struct Pending {
  Pending* next = nullptr;    ///< of its bucket, of the free ones, or of the claimed ones of its part
  Pending* before = nullptr;  ///< of the claimed ones
  Place* place = nullptr;     ///< where it stands, or behind which it is queued
  Word handle = 0;
  std::uint64_t number = 0;  ///< of the receive, if it is an exchange, the next one
  PendingKind kind = PendingKind::nothing;
  bool is_persistent = false, is_active = true, is_partitioned = false, may_be_cancelled = false;
  bool is_listed = false;     ///< among the claimed ones
  bool is_over = false;       ///< a call of those that have claimed it has completed it
  bool has_answered = false;  ///< MPI has answered one of them as it does where another call has completed it
  std::uint32_t joined = 0;   ///< calls that have joined the claim; these four change under the part's lock
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
    Word new_comm;  ///< its handle
  };
};

/// Of one whose end will not be known.
inline void count_never_completed(const Pending& p) noexcept {
  if (p.is_active && p.kind != PendingKind::nothing) never_completed.fetch_add(1, std::memory_order_relaxed);
}

/// Takes numbers for the thread's next requests.
void take_numbers(Thread& thread) noexcept;
/// Numbers for `count` requests, two at most; the first.
[[gnu::always_inline]] inline std::uint64_t next_number(std::uint64_t count = 1) noexcept {
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

/// One of a thread's, for a hash: only that thread puts something there; whoever waits for it takes it or gives it
/// back.
struct Place {
  static constexpr Word free = 0, claimed = ~Word{0}, lost = claimed - 1;
  std::atomic<Word> handle{free};        ///< of what stands there
  std::atomic<std::uint32_t> queued{0};  ///< how many of that hash are queued; changes under their part's lock
  Pending pending;

  bool has(const Pending* one) const noexcept { return one == &pending; }
  /// Whether it stands there and no other thread has claimed it.
  bool claim(Word wanted) noexcept {
    if (handle.load(std::memory_order_relaxed) != wanted) return false;
    if (has_threads.load(std::memory_order_relaxed))
      return handle.compare_exchange_strong(wanted, claimed, std::memory_order_acquire, std::memory_order_relaxed);
    handle.store(claimed, std::memory_order_relaxed);
    return true;
  }
};
[[gnu::always_inline]] inline Place& place_of(Thread& thread, std::uint64_t hash) noexcept {
  return thread.places[hash >> thread.places_shift];
}

/// Takes the first that no other thread has claimed, else joins the claim of one; nullptr: none of ours.
Pending* claim_elsewhere(Thread& thread, Word handle) noexcept;
[[gnu::always_inline]] inline Pending* claim(Thread& thread, Word handle) noexcept {
  if (handle == family.request_null) return nullptr;
  Place& mine = place_of(thread, hash_of_request(handle));
  if (mine.claim(handle)) [[likely]]
    return &mine.pending;
  return claim_elsewhere(thread, handle);
}
/// Takes all that no thread has claimed, as a list by `next`.
Pending* claim_all() noexcept;
/// Held while one call of several that have claimed it decides; nothing where the program keeps its threads apart.
class Deciding {
 public:
  explicit Deciding(const Pending& claimed) noexcept;
  ~Deciding() {
    if (lock_ != nullptr) lock_->unlock();
  }
  Deciding(const Deciding&) = delete;
  Deciding& operator=(const Deciding&) = delete;

 private:
  SpinLock* const lock_;
};
/// The caller's call has completed it; false: another call has, or will have (`is_empty`: MPI's answer to this one has
/// nothing of a message).
bool ends(Pending& claimed, bool is_empty) noexcept;
/// Of a persistent one, before it is released: MPI has given it another handle.
void rename(Pending& claimed, Word handle) noexcept;
/// The call has come to its end; `is_over`: so has the request. The last call that has claimed it removes what is over.
/// Else whoever claims next, by the handle that it has now, finds it first; what MPI has completed in none of these
/// calls is left to claim_all().
void let_go(Pending* claimed, bool is_over) noexcept;
inline void release(Pending* claimed) noexcept {
  if (has_threads.load(std::memory_order_relaxed) || !claimed->place->has(claimed)) [[unlikely]]
    return let_go(claimed, false);
  claimed->place->handle.store(claimed->handle, std::memory_order_release);
}
inline void remove(Pending* claimed) noexcept {
  if (has_threads.load(std::memory_order_relaxed) || !claimed->place->has(claimed)) [[unlikely]]
    return let_go(claimed, true);
  claimed->place->handle.store(Place::free, std::memory_order_release);
}
/// What is in no queue and in no place.
void make_free(Thread& thread, Pending* pending) noexcept;
/// When the thread has ended, others have what it has for requests.
void mark_room() noexcept;
/// Of a thread that ends: the next one that begins something goes on with them.
void give_places_back(Thread& thread) noexcept;
/// What a call fills in where there is no memory.
extern constinit thread_local Pending nobodys __attribute__((tls_model("initial-exec")));

/// What a call begins. Without memory for it its end is not recorded.
class Begun {
 public:
  explicit Begun(Thread& thread) noexcept : thread_(thread), pending_{take(thread)} {}
  ~Begun() {
    if (!is_kept_) make_free(thread_, pending_);
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
    --thread.free_count;
    *mine = Pending{};
    return mine;
  }
  static Pending* take_slowly(Thread& thread) noexcept;

  Thread& thread_;
  Pending* const pending_;
  bool is_kept_ = false;
};

/// A send or a receive is pending on the handle: another thread may end it at any time.
[[gnu::noinline, gnu::cold]] void keep_elsewhere(Thread& thread, Word handle, PendingKind kind, std::uint64_t number,
                                                 Comm& comm) noexcept;
[[gnu::always_inline]] inline void keep_request(Thread& thread, Word handle, PendingKind kind, std::uint64_t number,
                                                Comm& comm) noexcept {
  Place& mine = place_of(thread, hash_of_request(handle));
  if (mine.handle.load(std::memory_order_acquire) != Place::free || mine.queued.load(std::memory_order_relaxed) != 0)
      [[unlikely]]
    return keep_elsewhere(thread, handle, kind, number, comm);
  Pending& pending = mine.pending;
  pending.handle = handle;
  pending.number = number;
  pending.kind = kind;
  pending.may_be_cancelled = false;
  pending.comm = &comm;
  mine.handle.store(handle, std::memory_order_release);
}

/// A thread's room for claims of that many requests, or for statuses, with anything in it; nullptr: no memory.
Pending** claims_of(Thread& thread, std::size_t count) noexcept;
Word statuses_of(Thread& thread, std::size_t count) noexcept;
std::uint64_t* ids_of(Thread& thread, std::size_t count) noexcept;

}  // namespace tracer::mpi
