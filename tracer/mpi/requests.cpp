// SPDX-License-Identifier: BSD-3-Clause
// See requests.hpp. A queue per handle in buckets, each part of them under a lock of its own that is held for a few
// loads.
#include "tracer/mpi/requests.hpp"

#include <pthread.h>

#include <cstdlib>

namespace tracer::mpi {
namespace {

constexpr std::size_t parts = 64, first_buckets = 16;

struct Bucket {
  Pending* first = nullptr;
  Pending* last = nullptr;
};

struct alignas(64) Part {
  SpinLock lock;
  Bucket* buckets = nullptr;
  std::size_t count = 0;  ///< of buckets, a power of two
  std::size_t used = 0;
};

constinit Part all[parts];
constinit std::atomic<std::uint64_t> numbers{0};

template <class Work>
[[gnu::noinline]] auto in_locked_part(Part& part, std::uint64_t hash, Work work) noexcept {
  const Locked lock(part.lock);
  return work(part, hash);
}
/// What `work(part, hash)` says; under the part's lock where several threads may be in MPI: else the program keeps them
/// apart (MPI 4.0, 11.6.2).
template <class Work>
[[gnu::always_inline]] inline auto in_part_of(Word handle, Work work) noexcept {
  const std::uint64_t hash = hash_of_request(handle);
  Part& part = all[hash >> 58];
  if (has_threads.load(std::memory_order_relaxed)) [[unlikely]]
    return in_locked_part(part, hash, work);
  return work(part, hash);
}
Bucket& bucket_of(Part& part, std::uint64_t hash) noexcept {
  return part.buckets[(hash >> 32) & (part.count - 1)];
}

void append(Bucket& bucket, Pending* pending) noexcept {
  pending->next = nullptr;
  (bucket.last != nullptr ? bucket.last->next : bucket.first) = pending;
  bucket.last = pending;
}

/// At most two per bucket. What is in a queue stays in order.
[[gnu::noinline, gnu::cold]] void grow(Part& part) noexcept {
  const std::size_t count = part.count == 0 ? first_buckets : part.count * 2;
  auto* const buckets = static_cast<Bucket*>(std::calloc(count, sizeof(Bucket)));
  if (buckets == nullptr) return;
  Bucket* const old = part.buckets;
  const std::size_t old_count = part.count;
  part.buckets = buckets;
  part.count = count;
  for (std::size_t i = 0; i < old_count; ++i)
    for (Pending *p = old[i].first, *next = nullptr; p != nullptr; p = next) {
      next = p->next;
      append(bucket_of(part, hash_of_request(p->handle)), p);
    }
  std::free(old);
}

/// For one more. False: no memory.
bool has_bucket(Part& part) noexcept {
  if (part.used >= part.count * 2) [[unlikely]]
    grow(part);
  return part.count != 0;
}

/// What a call fills in where there is no memory.
constinit thread_local Pending nobodys;

/// What a thread that has ended had is not used again.
bool make_free(Thread& thread) noexcept {
  constexpr std::size_t slab = 64;
  auto* const fresh = static_cast<Pending*>(std::malloc(slab * sizeof(Pending)));
  if (fresh == nullptr) return false;
  for (std::size_t i = 0; i < slab; ++i) {
    fresh[i].next = thread.free_pending;
    thread.free_pending = &fresh[i];
  }
  return true;
}

// A thread's room goes with it.
pthread_key_t room_key;
pthread_once_t room_once = PTHREAD_ONCE_INIT;

void free_room(void*) noexcept {
  Thread& thread = this_thread;
  std::free(thread.requests);
  std::free(thread.statuses);
  std::free(thread.ids);
  thread.requests = nullptr;
  thread.statuses = nullptr;
  thread.ids = nullptr;
  thread.requests_room = thread.statuses_room = thread.ids_room = 0;
}

void mark_room() noexcept {
  ::pthread_once(&room_once, [] { ::pthread_key_create(&room_key, &free_room); });
  ::pthread_setspecific(room_key, &all);
}

}  // namespace

constinit Places places{};

void take_numbers(Thread& thread) noexcept {
  constexpr std::uint64_t many = 1024;
  thread.next_number = numbers.fetch_add(many, std::memory_order_relaxed) + 1;
  thread.numbers_left = many;
}

Pending* Begun::take_slowly(Thread& thread) noexcept {
  if (make_free(thread)) return take(thread);
  nobodys = Pending{};
  return &nobodys;
}

void Begun::keep(Word handle) noexcept {
  if (pending_ == &nobodys) return;
  pending_->handle = handle;
  is_kept_ = in_part_of(handle, [this](Part& part, std::uint64_t hash) {
    if (!has_bucket(part)) return false;
    append(bucket_of(part, hash), pending_);
    ++part.used;
    ++places.queued[Places::of(hash)];
    return true;
  });
}

void queue_request(Thread& thread, Word handle, PendingKind kind, std::uint64_t number, Comm& comm) noexcept {
  Begun begun{thread};
  begun->kind = kind;
  begun->number = number;
  begun->comm = &comm;
  begun.keep(handle);
}

Pending* claim_queued(Word handle) noexcept {
  return in_part_of(handle, [handle](Part& part, std::uint64_t hash) -> Pending* {
    const std::size_t at = Places::of(hash);
    if (places.handles[at] == handle) {
      places.handles[at] = Places::claimed;
      return &places.pendings[at];
    }
    if (places.queued[at] == 0) return nullptr;
    Bucket& bucket = bucket_of(part, hash);
    Pending* before = nullptr;
    Pending* p = bucket.first;
    for (; p != nullptr && p->handle != handle; p = p->next) before = p;
    if (p == nullptr) return nullptr;
    (before != nullptr ? before->next : bucket.first) = p->next;
    if (bucket.last == p) bucket.last = before;
    --part.used;
    --places.queued[at];
    return p;
  });
}

Pending* claim_all() noexcept {
  Bucket taken;
  for (Part& part : all) {
    const Locked lock(part.lock);
    for (std::size_t i = 0; i < part.count; ++i) {
      Bucket& bucket = part.buckets[i];
      if (bucket.first == nullptr) continue;
      (taken.last != nullptr ? taken.last->next : taken.first) = bucket.first;
      taken.last = bucket.last;
      bucket = {};
    }
    part.used = 0;
  }
  for (std::size_t at = 0; at < Places::count; ++at) {
    places.queued[at] = 0;
    if (places.handles[at] == Places::free || places.handles[at] == Places::claimed) continue;
    places.handles[at] = Places::claimed;
    append(taken, &places.pendings[at]);
  }
  return taken.first;
}

void release(Pending* pending) noexcept {
  in_part_of(pending->handle, [pending](Part& part, std::uint64_t hash) {
    const std::size_t at = Places::of(hash);
    if (places.has(pending)) {
      places.handles[at] = pending->handle;
      return;
    }
    if (!has_bucket(part)) return;
    ++places.queued[at];
    Bucket& bucket = bucket_of(part, hash);
    pending->next = bucket.first;
    bucket.first = pending;
    if (bucket.last == nullptr) bucket.last = pending;
    ++part.used;
  });
}

void remove_queued(Pending* pending) noexcept {
  if (pending == &nobodys) return;
  Thread& thread = this_thread;
  pending->next = thread.free_pending;
  thread.free_pending = pending;
}

Pending** claims_of(Thread& thread, std::size_t count) noexcept {
  if (count > thread.requests_room) {
    void* const more = std::realloc(thread.requests, count * 2 * sizeof(Pending*));
    if (more == nullptr) return nullptr;
    thread.requests = static_cast<Pending**>(more);
    thread.requests_room = count * 2;
    mark_room();
  }
  return thread.requests;
}

std::uint64_t* ids_of(Thread& thread, std::size_t count) noexcept {
  if (count >= thread.ids_room) {
    void* const more = std::realloc(thread.ids, (count + 1) * 2 * sizeof(std::uint64_t));
    if (more == nullptr) return nullptr;
    thread.ids = static_cast<std::uint64_t*>(more);
    thread.ids_room = (count + 1) * 2;
    mark_room();
  }
  return thread.ids;
}

Word statuses_of(Thread& thread, std::size_t count) noexcept {
  const std::size_t bytes = count * family.status_size;
  if (bytes > thread.statuses_room) {
    void* const more = std::realloc(thread.statuses, bytes * 2);
    if (more == nullptr) return 0;
    thread.statuses = static_cast<char*>(more);
    thread.statuses_room = bytes * 2;
    mark_room();
  }
  return reinterpret_cast<Word>(thread.statuses);
}

}  // namespace tracer::mpi
