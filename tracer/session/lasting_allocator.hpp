// SPDX-License-Identifier: BSD-3-Clause
// Memory of containers that live as long as the process: nobody frees them, because threads may be inside handlers at
// its end.
#pragma once

#include <cstddef>
#include <new>

/// LeakSanitizer's, in a program that has it.
extern "C" [[gnu::weak]] void __lsan_ignore_object(const void* object);

namespace tracer {

/// oneTBB's containers keep a segment by the address at which its first index would be: LeakSanitizer finds no pointer
/// into it, and would make a traced program end with its status for leaks.
template <class T>
struct LastingAllocator {
  using value_type = T;
  LastingAllocator() = default;
  template <class U>
  LastingAllocator(const LastingAllocator<U>&) noexcept {}

  T* allocate(std::size_t count) {
    void* memory = ::operator new(count * sizeof(T));
    if (__lsan_ignore_object != nullptr) __lsan_ignore_object(memory);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory); }
  template <class U>
  bool operator==(const LastingAllocator<U>&) const noexcept {
    return true;
  }
};

}  // namespace tracer
