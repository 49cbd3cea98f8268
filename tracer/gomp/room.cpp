// SPDX-License-Identifier: BSD-3-Clause
// See room.hpp. Memory comes from the system by itself, not by malloc: a signal's handler may have interrupted that.
#include "tracer/gomp/room.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <iterator>
#include <new>

#include "tracer/gomp/undisturbed.hpp"

namespace tracer::gomp {

/// Rooms of the usual size, of one thread; when that has ended, of the next that needs some.
struct Rooms::Chunk {
  static constexpr std::size_t bytes = 64 * 1024;
  Chunk* next;
  alignas(16) Usual rooms[(bytes - 16) / sizeof(Usual)];

  static Chunk* get() noexcept;
  static void hand_over(Chunk* first) noexcept;
};

namespace {

constexpr std::size_t page = 4096, most_kept = std::size_t{1} << 20;

/// errno stays as it is.
void* new_memory(std::size_t bytes) noexcept {
  const int kept_errno = errno;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  errno = kept_errno;
  return memory != MAP_FAILED ? memory : nullptr;
}

#ifdef __x86_64__
/// The system reads the memory, and refuses what it is asked to do with it.
bool can_read(std::uintptr_t at) noexcept {
  const int kept_errno = errno;
  constexpr long nothing = -1, bytes_of_set = 8;
  const bool is_unreadable = syscall(SYS_rt_sigprocmask, nothing, at, nullptr, bytes_of_set) != 0 && errno == EFAULT;
  errno = kept_errno;
  return !is_unreadable;
}

/// The return address of a call that is still there is where it was. Of one that is not, it is until something else is
/// written there.
__attribute__((no_sanitize("address", "thread"))) bool is_overwritten(const Room& room) noexcept {
  const std::uintptr_t at = room.at - sizeof(void*);
  return !can_read(at) || *reinterpret_cast<const void* const volatile*>(at) != room.from;
}
#else
/// Where the return address is kept is not known.
bool is_overwritten(const Room&) noexcept {
  return false;
}
#endif

}  // namespace

// A place below another call's is not enough: a thread may have several stacks, of handlers and coroutines.
[[gnu::noinline, gnu::cold]] void Rooms::give_back_left(std::uintptr_t at) noexcept {
  if (is_looking_) return;  // interrupted by a handler
  is_looking_ = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  unsigned looks = 2;  // those that may still be there cost a system call each
  Room* next = nullptr;
  for (Room* room = taken_; room != nullptr && room->at <= at; room = next) {
    next = room->next;
    if (room->at != at && (looks == 0 || (--looks, !is_overwritten(*room)))) continue;
    if (room->left != nullptr) room->left(room->what);
    give_back(room->memory());
    if (looks == 0) looks = 1;
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  is_looking_ = false;
}

[[gnu::noinline, gnu::cold]] Room** Rooms::place_of(std::uintptr_t at) noexcept {
  Room** place = &taken_;
  while (*place != nullptr && (*place)->at <= at) place = &(*place)->next;
  return place;
}

[[gnu::noinline, gnu::cold]] bool Rooms::take_out(Room& room) noexcept {
  Room** place = &taken_;
  while (*place != nullptr && *place != &room) place = &(*place)->next;
  if (*place == nullptr) return false;
  *place = room.next;
  return true;
}

void Rooms::add(Usual* rooms, std::size_t count) noexcept {
  for (std::size_t i = count; i-- > 0;) {
    rooms[i].room.bytes = usual;
    rooms[i].room.next = free_;
    free_ = &rooms[i].room;
  }
}

[[gnu::noinline, gnu::cold]] Room* Rooms::another_large(std::size_t size) noexcept {
  for (Room** place = &large_; *place != nullptr; place = &(*place)->next) {
    Room* const room = *place;
    if (room->bytes < size) continue;
    *place = room->next;
    return room;
  }
  const std::size_t all = std::bit_ceil(size + sizeof(Room) < page ? page : size + sizeof(Room));
  void* const memory = all > size ? new_memory(all) : nullptr;
  if (memory == nullptr) return nullptr;
  auto* const room = new (memory) Room{};
  room->bytes = all - sizeof(Room);
  return room;
}

[[gnu::noinline, gnu::cold]] void Rooms::keep_large(Room& room) noexcept {
  if (room.bytes > most_kept) {
    const int kept_errno = errno;
    munmap(&room, room.bytes + sizeof room);
    errno = kept_errno;
    return;
  }
  room.next = large_;
  large_ = &room;
}

namespace {

/// Of threads that have ended.
constinit std::atomic<void*> left_chunks{nullptr};

pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
bool has_key = false;

}  // namespace

void Rooms::Chunk::hand_over(Chunk* chunk) noexcept {
  while (chunk != nullptr) {
    Chunk* const next = chunk->next;
    void* first = left_chunks.load(std::memory_order_relaxed);
    do chunk->next = static_cast<Chunk*>(first);
    while (!left_chunks.compare_exchange_weak(first, chunk, std::memory_order_release, std::memory_order_relaxed));
    chunk = next;
  }
}

// All are taken, and the others given back: so that none is another one's next meanwhile.
Rooms::Chunk* Rooms::Chunk::get() noexcept {
  auto* const chunk = static_cast<Chunk*>(left_chunks.exchange(nullptr, std::memory_order_acquire));
  if (chunk == nullptr) return static_cast<Chunk*>(new_memory(sizeof(Chunk)));
  hand_over(chunk->next);
  return chunk;
}

void Rooms::hand_over() noexcept {
  Chunk* const chunk = chunks_;
  chunks_ = nullptr;
  taken_ = free_ = nullptr;
  has_own_ = false;
  while (large_ != nullptr) {
    Room* const room = large_;
    large_ = room->next;
    munmap(room, room->bytes + sizeof *room);
  }
  Chunk::hand_over(chunk);
}

// The destructor runs once more where another one takes rooms.
[[gnu::noinline, gnu::cold]] Room* Rooms::another(std::size_t size) noexcept {
  if (size > usual) return another_large(size);
  if (!has_own_) {
    has_own_ = true;
    add(own_, own_count);
  } else {
    if (chunks_ == nullptr) {
      auto ask = [this] {
        pthread_once(&once, [] {
          has_key = pthread_key_create(&key, [](void* rooms) { static_cast<Rooms*>(rooms)->hand_over(); }) == 0;
        });
        if (has_key) pthread_setspecific(key, this);
      };
      undisturbed(ask);
    }
    Chunk* const chunk = Chunk::get();
    if (chunk == nullptr) return nullptr;
    chunk->next = chunks_;
    chunks_ = chunk;
    add(chunk->rooms, std::size(chunk->rooms));
  }
  Room* const room = free_;
  free_ = room->next;
  return room;
}

}  // namespace tracer::gomp
