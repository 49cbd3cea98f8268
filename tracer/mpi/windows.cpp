// SPDX-License-Identifier: BSD-3-Clause
// See windows.hpp.
#include "tracer/mpi/windows.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#include "tracer/mpi/handle_table.hpp"
#include "tracer/mpi/requests.hpp"
#include "tracer/mpi/text.hpp"
#include "tracer/mpi/world.hpp"
#include "tracer/property_names.hpp"

namespace tracer::mpi {
namespace {

/// Records and events have 16 bits for them.
constexpr std::uint32_t most_windows = 0xffff;
/// Of a window that are open at a time.
constexpr std::size_t most_operations = std::size_t{1} << 20;

constinit SpinLock windows_lock;
constinit HandleTable<Window> windows;
constinit std::atomic<std::uint32_t> next_window{0};

/// Groups are few: the partners of a rank.
struct KnownGroup {
  int* ranks = nullptr;
  int size = 0;
  std::uint32_t number = 0;
  KnownGroup* next = nullptr;
};
constinit SpinLock groups_lock;
constinit KnownGroup* groups = nullptr;
constinit std::uint32_t next_group = 0;

template <class Item>
bool make_room(Item*& items, std::size_t count, std::size_t& room) noexcept {
  if (count < room) return true;
  const std::size_t wanted = room == 0 ? 16 : room * 2;
  void* const more = std::realloc(static_cast<void*>(items), wanted * sizeof(Item));
  if (more == nullptr) return false;
  items = static_cast<Item*>(more);
  room = wanted;
  return true;
}

/// The window's lock is held.
std::uint64_t count_one(Window& window) noexcept {
  const std::uint64_t begun = window.so_far() + 1;
  window.begun.store(begun, std::memory_order_relaxed);
  return begun;
}

/// The window's lock is held. The operation at `at` is complete at this side. Whether it stays, since it is not
/// complete at the other one.
bool is_open_there(Window& window, std::size_t at) noexcept {
  if (window.open[at].is_get) {
    window.open[at] = window.open[--window.count];
    return false;
  }
  std::swap(window.open[at], window.open[window.local++]);
  return true;
}

/// The window's lock is held.
void forget_local(Window& window) noexcept {
  count_unrecorded(Unrecorded::completion, window.local);
  std::copy(window.open + window.local, window.open + window.count, window.open);
  window.count -= window.local;
  window.local = 0;
}

}  // namespace

Window* new_window(const Comm& comm, bool is_allocated) noexcept {
  if (comm.is_foreign || !is_live.load(std::memory_order_relaxed)) return nullptr;
  const std::uint32_t id = next_window.fetch_add(1, std::memory_order_relaxed);
  void* const memory = id < most_windows ? std::malloc(sizeof(Window)) : nullptr;
  if (memory == nullptr) return nullptr;
  Window& window = *::new (memory) Window;
  window.id = id;
  window.rank = static_cast<std::uint32_t>(comm.rank);
  window.size = static_cast<std::uint32_t>(comm.size);
  window.is_allocated = is_allocated;
  return &window;
}

void keep_window(Word handle, Window* window, Comm& comm) noexcept {
  Text text;
  text.add("identity=%s/w%u;comm=%u", comm.identity, comm.windows.fetch_add(1, std::memory_order_relaxed) + 1, comm.id);
  window->fact = text.keep();
  record_fact(properties::fact(properties::mpi_window), window->id, window->fact);
  const Locked lock(windows_lock);
  windows.set(handle, window);
  window_generation.fetch_add(1, std::memory_order_relaxed);
}

void forget_window(Word handle, const Window& window) noexcept {
  const Locked lock(windows_lock);
  windows.forget(handle, &window);
  window_generation.fetch_add(1, std::memory_order_relaxed);
}

Window* window_of(Thread& thread, Word argument) noexcept {
  const Word handle = family.handle(argument);
  const std::uint32_t generation = window_generation.load(std::memory_order_relaxed);
  auto& known = thread.window;
  if (known.handle == handle && known.generation == generation) return known.window;
  const Locked lock(windows_lock);
  known = {handle, generation, windows.find(handle)};
  return known.window;
}

Window* take_windows() noexcept {
  const Locked lock(windows_lock);
  Window* first = nullptr;
  windows.for_each([&first](Window& window) {
    window.next = first;
    first = &window;
  });
  windows = {};
  window_generation.fetch_add(1, std::memory_order_relaxed);
  return first;
}

void name_window(const Window& window, const char* name) noexcept {
  Text text;
  text.add("%s;name=%.255s", window.fact, name != nullptr ? name : "");
  record_fact(properties::fact(properties::mpi_window), window.id, text.get());
}

std::uint32_t group_number(Word group) noexcept {
  int size = 0;
  if (ask(MpiFunction::Group_size, group, &size) != 0) return Window::no_group;
  int* const ranks = world_ranks_of(group, size);
  if (ranks == nullptr) return Window::no_group;
  const Locked lock(groups_lock);
  const auto bytes = static_cast<std::size_t>(size) * sizeof(int);
  for (const KnownGroup* known = groups; known != nullptr; known = known->next)
    if (known->size == size && std::memcmp(known->ranks, ranks, bytes) == 0) {
      std::free(ranks);
      return known->number;
    }
  void* const memory = std::malloc(sizeof(KnownGroup));
  if (memory == nullptr) {
    std::free(ranks);
    return Window::no_group;
  }
  groups = ::new (memory) KnownGroup{ranks, size, next_group++, groups};
  Text text;
  text.add("size=%d;members=", size);
  text.add_ranges(ranks, size);
  record_fact(properties::mpi_group_fact, groups->number, text.get());
  return groups->number;
}

bool add_operation(Window& window, std::uint64_t id, std::uint32_t target, bool is_get) noexcept {
  const Locked lock(window.lock);
  if (window.count == most_operations && window.local != 0) forget_local(window);
  if (window.count == most_operations || !make_room(window.open, window.count, window.room)) return false;
  window.open[window.count++] = {id, count_one(window), target, is_get};
  return true;
}

std::size_t take_operations(Thread& thread, Window& window, std::uint32_t target, std::uint64_t begun,
                            Completes completes, std::uint64_t*& ids) noexcept {
  const Locked lock(window.lock);
  const auto is_meant = [&](const RmaOperation& operation) {
    return operation.begun <= begun && (target == all_ranks || operation.target == target);
  };
  ids = ids_of(thread, window.count);
  if (ids == nullptr) return 0;
  std::size_t taken = 0;
  if (completes == Completes::here) {
    for (std::size_t i = window.local; i < window.count;) {
      const bool is_one = is_meant(window.open[i]);
      if (is_one) ids[taken++] = window.open[i].id;
      if (!is_one || is_open_there(window, i)) ++i;
    }
    return taken;
  }
  std::size_t kept = 0, kept_local = 0;
  for (std::size_t i = 0; i < window.count; ++i) {
    const bool is_local = i < window.local;
    if (!is_meant(window.open[i])) {
      window.open[kept++] = window.open[i];
      kept_local += is_local;
    } else if (!is_local || completes == Completes::everywhere) {
      ids[taken++] = window.open[i].id;
    }
  }
  window.count = kept;
  window.local = kept_local;
  return taken;
}

bool end_here(Window& window, std::uint64_t id) noexcept {
  const Locked lock(window.lock);
  for (std::size_t i = window.count; i-- > window.local;)
    if (window.open[i].id == id) {
      is_open_there(window, i);
      return true;
    }
  return false;
}

void add_lock(Window& window, std::uint32_t target, std::uint8_t type) noexcept {
  const Locked lock(window.lock);
  if (make_room(window.held, window.held_count, window.held_room))
    window.held[window.held_count++] = {count_one(window), target, type, false};
}

bool take_unrecorded_lock(Window& window, std::uint32_t target, std::uint64_t begun, Window::Held& found) noexcept {
  const Locked lock(window.lock);
  for (std::size_t i = 0; i < window.held_count; ++i) {
    Window::Held& held = window.held[i];
    if (held.is_recorded || held.begun > begun ||
        (target != all_ranks && held.target != target && held.target != all_ranks))
      continue;
    held.is_recorded = true;
    found = held;
    return true;
  }
  return false;
}

void remove_lock(Window& window, std::uint32_t target) noexcept {
  const Locked lock(window.lock);
  for (std::size_t i = window.held_count; i-- > 0;)
    if (window.held[i].target == target) {
      window.held[i] = window.held[--window.held_count];
      return;
    }
}

bool take_lock(Window& window, Window::Held& found) noexcept {
  const Locked lock(window.lock);
  if (window.held_count == 0) return false;
  found = window.held[--window.held_count];
  return true;
}

}  // namespace tracer::mpi
