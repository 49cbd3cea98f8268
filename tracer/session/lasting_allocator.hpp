// SPDX-License-Identifier: BSD-3-Clause
// Memory for what lives as long as the process: nobody frees it, because threads may be inside handlers at its end. It
// lies in pages of its own, not in the program's heap: a runtime or program that uses memory after it freed it gets
// away with that as long as nobody else is given the memory. libomp does so where threads of the program with teams of
// their own end (docs/troubleshooting.md).
#pragma once

#include <cstddef>

namespace tracer {

/// Any thread, also in a forked child. Aligned to a cache line. Throws std::bad_alloc.
void* lasting_memory(std::size_t bytes);

/// For oneTBB's containers.
template <class T>
struct LastingAllocator {
  using value_type = T;
  LastingAllocator() = default;
  template <class U>
  LastingAllocator(const LastingAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) { return static_cast<T*>(lasting_memory(count * sizeof(T))); }
  void deallocate(T*, std::size_t) noexcept {}
  template <class U>
  bool operator==(const LastingAllocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace tracer
