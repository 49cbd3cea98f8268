// SPDX-License-Identifier: BSD-3-Clause
// See lasting_allocator.hpp. Without a lock: a forked child would find it taken by a thread that it does not have.
#include "tracer/session/lasting_allocator.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>

/// LeakSanitizer's, in a program that has it: what these pages point to is in use.
extern "C" [[gnu::weak]] void __lsan_register_root_region(const void* begin, std::size_t bytes);

namespace tracer {
namespace {

constexpr std::size_t line = 64, usual_bytes = 64 << 10;

/// Pages that are given out from the front; this stands at their begin.
struct alignas(line) Pages {
  std::size_t bytes;
  std::atomic<std::size_t> used{sizeof(Pages)};

  void* take(std::size_t wanted) noexcept {
    const std::size_t at = used.fetch_add(wanted, std::memory_order_relaxed);
    return at <= bytes && wanted <= bytes - at ? reinterpret_cast<std::byte*>(this) + at : nullptr;
  }
};

constinit std::atomic<Pages*> current{nullptr};

}  // namespace

void* lasting_memory(std::size_t bytes) {
  const std::size_t wanted = (bytes + line - 1) / line * line;
  if (wanted < bytes || wanted > PTRDIFF_MAX / 2) throw std::bad_alloc();
  for (;;) {
    Pages* const pages = current.load(std::memory_order_acquire);
    if (pages != nullptr)
      if (void* const memory = pages->take(wanted)) return memory;
    const std::size_t size = std::max(usual_bytes, sizeof(Pages) + wanted);
    void* const made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) throw std::bad_alloc();
    auto* const next = new (made) Pages{size};
    void* const memory = next->take(wanted);
    Pages* expected = pages;
    if (current.compare_exchange_strong(expected, next, std::memory_order_release, std::memory_order_relaxed)) {
      if (__lsan_register_root_region != nullptr) __lsan_register_root_region(made, size);
      return memory;
    }
    ::munmap(made, size);  // another thread was faster
  }
}

}  // namespace tracer
