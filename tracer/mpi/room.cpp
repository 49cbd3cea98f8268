// SPDX-License-Identifier: BSD-3-Clause
// What a thread has for requests (requests.hpp): free ones for those that it begins next, and room for arrays of them.
//
// One thread may complete what another began: who has many free ones gives half of them to all, and who has none takes
// of these before there are more.
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "tracer/mpi/requests.hpp"

namespace tracer::mpi {

constinit thread_local Pending nobodys __attribute__((tls_model("initial-exec")));

namespace {

constexpr std::size_t slab = 64, most_free = 2 * slab;

// Free ones that no thread has, in lists: the first of each has the next list as `before`, and as `number` how many
// they are.
constinit SpinLock shared_lock;
constinit Pending* shared_lists = nullptr;

void share(Pending* first, std::size_t count) noexcept {
  first->number = count;
  const Locked lock(shared_lock);
  first->before = shared_lists;
  shared_lists = first;
}

/// Those that it used last stay the thread's.
void share_half(Thread& thread) noexcept {
  Pending* last = thread.free_pending;
  for (std::size_t i = 1; i < slab; ++i) last = last->next;
  share(last->next, thread.free_count - slab);
  last->next = nullptr;
  thread.free_count = slab;
}

/// For a thread that has none. False: there are none.
bool take_shared(Thread& thread) noexcept {
  const Locked lock(shared_lock);
  Pending* const first = shared_lists;
  if (first == nullptr) return false;
  shared_lists = first->before;
  thread.free_pending = first;
  thread.free_count = first->number;
  return true;
}

/// For a thread that has none. False: no memory.
bool make_slab(Thread& thread) noexcept {
  auto* const fresh = static_cast<Pending*>(std::malloc(slab * sizeof(Pending)));
  if (fresh == nullptr) return false;
  for (std::size_t i = 0; i < slab; ++i) {
    fresh[i].next = thread.free_pending;
    thread.free_pending = &fresh[i];
  }
  thread.free_count = slab;
  return true;
}

// A thread's room goes with it; where the program has taken all keys it stays.
pthread_key_t room_key;
bool has_room_key = false;
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
  if (thread.free_pending != nullptr) share(thread.free_pending, thread.free_count);
  thread.free_pending = nullptr;
  thread.free_count = 0;
  give_places_back(thread);
}

}  // namespace

void mark_room() noexcept {
  ::pthread_once(&room_once, [] { has_room_key = ::pthread_key_create(&room_key, &free_room) == 0; });
  if (has_room_key) ::pthread_setspecific(room_key, &room_key);
}

Pending* Begun::take_slowly(Thread& thread) noexcept {
  if (take_shared(thread) || make_slab(thread)) {
    mark_room();
    return take(thread);
  }
  nobodys = Pending{};
  return &nobodys;
}

void make_free(Thread& thread, Pending* pending) noexcept {
  if (pending == &nobodys) return;
  if (thread.free_pending == nullptr) mark_room();
  pending->next = thread.free_pending;
  thread.free_pending = pending;
  if (++thread.free_count == most_free) share_half(thread);
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
