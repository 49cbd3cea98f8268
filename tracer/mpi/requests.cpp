// SPDX-License-Identifier: BSD-3-Clause
// See requests.hpp. What has no place of its own is in a queue per handle, in buckets, each part of them under a lock
// of its own that is held for a few loads.
#include "tracer/mpi/requests.hpp"

#include <cstdlib>
#include <new>

namespace tracer::mpi {

/// A thread's places. Never freed: when the thread has ended, others may still wait for what stands there, and the next
/// one that begins something goes on with it.
struct Places {
  explicit Places(unsigned places_shift, Place* first) noexcept : shift(places_shift), places(first) {}
  static std::size_t count(unsigned shift) noexcept { return std::size_t{1} << (64 - shift); }
  Place& of(std::uint64_t hash) const noexcept { return places[hash >> shift]; }

  Places* next = nullptr;
  std::atomic<bool> is_owned{true};
  const unsigned shift;
  Place* const places;
};

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
  Pending* claimed = nullptr;  ///< of its queues, where several threads may be in MPI
};

constinit Part all[parts];

constexpr unsigned shift_of_first = 64 - 10, shift_of_others = 64 - 7;  // hashes of a place are of one part
constinit std::atomic<Places*> all_places{nullptr};
constinit std::atomic<std::uint64_t> numbers{0};

template <class Work>
[[gnu::noinline]] auto in_locked_part(Part& part, std::uint64_t hash, Work work) noexcept {
  const Locked lock(part.lock);
  return work(part, hash);
}
/// The result of `work(part, hash)`; under the part's lock where several threads may be in MPI: else the program keeps
/// them apart (MPI 4.0, 11.6.2).
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

/// Behind the place of who puts it into the queue.
void count_queued(Pending& pending, Place& place) noexcept {
  pending.place = &place;
  place.queued.store(place.queued.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

/// nullptr: no memory.
Places* make_places() noexcept {
  const unsigned shift = all_places.load(std::memory_order_relaxed) == nullptr ? shift_of_first : shift_of_others;
  const std::size_t count = Places::count(shift);
  void* const memory = std::malloc(sizeof(Places) + count * sizeof(Place));
  if (memory == nullptr) return nullptr;
  auto* const first = reinterpret_cast<Place*>(static_cast<char*>(memory) + sizeof(Places));
  for (std::size_t i = 0; i < count; ++i) {
    ::new (&first[i]) Place;
    first[i].pending.place = &first[i];
  }
  auto* const made = ::new (memory) Places{shift, first};
  made->next = all_places.load(std::memory_order_relaxed);
  while (!all_places.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return made;
}

/// False: no memory.
bool take_places(Thread& thread) noexcept {
  Places* mine = all_places.load(std::memory_order_acquire);
  while (mine != nullptr && mine->is_owned.exchange(true, std::memory_order_acquire)) mine = mine->next;
  if (mine == nullptr) mine = make_places();
  if (mine == nullptr) return false;
  thread.own_places = mine;
  thread.places = mine->places;
  thread.places_shift = mine->shift;
  mark_room();
  return true;
}

void list(Part& part, Pending& claimed) noexcept {
  claimed.before = nullptr;
  claimed.next = part.claimed;
  if (part.claimed != nullptr) part.claimed->before = &claimed;
  part.claimed = &claimed;
  claimed.is_listed = true;
}

void unlist(Part& part, Pending& claimed) noexcept {
  if (!claimed.is_listed) return;
  (claimed.before != nullptr ? claimed.before->next : part.claimed) = claimed.next;
  if (claimed.next != nullptr) claimed.next->before = claimed.before;
  claimed.is_listed = false;
}

Pending* claim_queued(Part& part, std::uint64_t hash, Word handle) noexcept {
  if (part.used == 0) return nullptr;
  Bucket& bucket = bucket_of(part, hash);
  Pending* before = nullptr;
  Pending* p = bucket.first;
  for (; p != nullptr && p->handle != handle; p = p->next) before = p;
  if (p == nullptr) return nullptr;
  (before != nullptr ? before->next : bucket.first) = p->next;
  if (bucket.last == p) bucket.last = before;
  --part.used;
  p->place->queued.store(p->place->queued.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  return p;
}

/// What another thread has begun.
Pending* claim_of_others(Thread& thread, std::uint64_t hash, Word handle) noexcept {
  const Places* const last = thread.last_places;
  if (last != nullptr && last->of(hash).claim(handle)) return &last->of(hash).pending;
  for (Places* p = all_places.load(std::memory_order_acquire); p != nullptr; p = p->next) {
    Place& place = p->of(hash);
    if (!place.claim(handle)) continue;
    thread.last_places = p;
    return &place.pending;
  }
  return nullptr;
}

/// The claim of another call. Under the part's lock, without which nothing that is claimed ceases to be.
Pending* join(const Part& part, std::uint64_t hash, Word handle) noexcept {
  const auto is_wanted = [handle](const Pending& p) { return p.handle == handle && (!p.is_over || p.is_persistent); };
  for (Pending* p = part.claimed; p != nullptr; p = p->next)
    if (is_wanted(*p)) return ++p->joined, p;
  for (Places* p = all_places.load(std::memory_order_acquire); p != nullptr; p = p->next) {
    Place& place = p->of(hash);
    if (place.handle.load(std::memory_order_acquire) == Place::claimed && is_wanted(place.pending))
      return ++place.pending.joined, &place.pending;
  }
  return nullptr;
}

/// The first of its queue.
void put_back(Part& part, std::uint64_t hash, Pending& pending) noexcept {
  if (!has_bucket(part)) return;
  Bucket& bucket = bucket_of(part, hash);
  pending.next = bucket.first;
  bucket.first = &pending;
  if (bucket.last == nullptr) bucket.last = &pending;
  ++part.used;
  count_queued(pending, place_of(this_thread, hash));
}

}  // namespace

// Of a thread that has begun nothing yet: nothing stands there, and nothing can be put there.
constinit Place no_places[] = {{.handle = Place::claimed, .pending = {}}, {.handle = Place::claimed, .pending = {}}};

void give_places_back(Thread& thread) noexcept {
  thread.places = no_places;
  thread.places_shift = no_places_shift;
  if (thread.own_places != nullptr) thread.own_places->is_owned.store(false, std::memory_order_release);
  thread.own_places = nullptr;
}

void take_numbers(Thread& thread) noexcept {
  constexpr std::uint64_t many = 1024;
  thread.next_number = numbers.fetch_add(many, std::memory_order_relaxed) + 1;
  thread.numbers_left = many;
}

void Begun::keep(Word handle) noexcept {
  pending_->handle = handle;
  is_kept_ = pending_ != &nobodys && in_part_of(handle, [this](Part& part, std::uint64_t hash) {
               if (!has_bucket(part)) return false;
               append(bucket_of(part, hash), pending_);
               ++part.used;
               count_queued(*pending_, place_of(thread_, hash));
               return true;
             });
  if (!is_kept_) count_never_completed(*pending_);
}

void keep_elsewhere(Thread& thread, Word handle, PendingKind kind, std::uint64_t number, Comm& comm) noexcept {
  if (thread.own_places == nullptr && take_places(thread)) return keep_request(thread, handle, kind, number, comm);
  Begun begun{thread};
  begun->kind = kind;
  begun->number = number;
  begun->comm = &comm;
  begun.keep(handle);
}

Pending* claim_elsewhere(Thread& thread, Word handle) noexcept {
  return in_part_of(handle, [&thread, handle](Part& part, std::uint64_t hash) -> Pending* {
    const bool may_be_joined = has_threads.load(std::memory_order_relaxed);
    if (Pending* const queued = claim_queued(part, hash, handle)) {
      if (may_be_joined) list(part, *queued);
      return queued;
    }
    Pending* const standing = claim_of_others(thread, hash, handle);
    return standing != nullptr || !may_be_joined ? standing : join(part, hash, handle);
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
  for (Places* p = all_places.load(std::memory_order_acquire); p != nullptr; p = p->next)
    for (std::size_t i = 0; i < Places::count(p->shift); ++i) {
      Place& place = p->places[i];
      place.queued.store(0, std::memory_order_relaxed);
      const Word handle = place.handle.load(std::memory_order_relaxed);
      if (handle != Place::free && handle != Place::claimed && place.claim(handle)) append(taken, &place.pending);
    }
  return taken.first;
}

Deciding::Deciding(const Pending& claimed) noexcept
    : lock_(has_threads.load(std::memory_order_relaxed) ? &all[hash_of_request(claimed.handle) >> 58].lock : nullptr) {
  if (lock_ != nullptr) lock_->lock();
}

bool ends(Pending& claimed, bool is_empty) noexcept {
  if (!has_threads.load(std::memory_order_relaxed)) return true;
  const Deciding deciding(claimed);
  if (claimed.is_over || !claimed.is_active) return false;
  claimed.has_answered = is_empty;
  claimed.is_over = !is_empty;
  return !is_empty;
}

void rename(Pending& claimed, Word handle) noexcept {
  if (claimed.handle == handle) return;
  in_part_of(claimed.handle, [&claimed](Part& part, std::uint64_t) { unlist(part, claimed); });
  claimed.handle = handle;
}

void let_go(Pending* pending, bool is_over) noexcept {
  // What becomes of a queued one; Place::claimed: nothing.
  const Word becomes = in_part_of(pending->handle, [pending, is_over](Part& part, std::uint64_t hash) -> Word {
    Pending& p = *pending;
    p.is_over = p.is_over || is_over;
    if (p.joined != 0) return --p.joined, Place::claimed;
    unlist(part, p);
    const bool is_removed = p.is_over && (is_over || !p.is_persistent), is_lost = p.has_answered && !p.is_over;
    const Word now = is_removed ? Place::free : is_lost ? Place::lost : p.handle;
    p.is_over = p.has_answered = false;
    if (p.place->has(pending)) return p.place->handle.store(now, std::memory_order_release), Place::claimed;
    if (!is_removed && !is_lost) return put_back(part, hash, p), Place::claimed;
    return now;
  });
  if (becomes == Place::free) return make_free(this_thread, pending);
  if (becomes != Place::lost) return;
  pending->handle = Place::lost;
  in_part_of(Place::lost, [pending](Part& part, std::uint64_t hash) { put_back(part, hash, *pending); });
}

}  // namespace tracer::mpi
