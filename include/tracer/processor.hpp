// SPDX-License-Identifier: BSD-3-Clause
// What can be read from the processor without a call: its counter, and where the thread's own data begin.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracer {

#if defined(__x86_64__)
/// The time stamp counter. Not serialising: the instructions around it may move by some nanoseconds.
[[gnu::always_inline]] inline std::uint64_t read_counter() noexcept {
  return __builtin_ia32_rdtsc();
}
/// Instructions behind it, a reading of the counter among them, begin when those before it are complete: 10 to 20 ns.
[[gnu::always_inline]] inline void complete_instructions() noexcept {
  asm volatile("lfence" ::: "memory");
}
/// The address that thread-local variables are counted from.
[[gnu::always_inline]] inline char* thread_pointer() noexcept {
  char* pointer;
  asm("mov %%fs:0, %0" : "=r"(pointer));
  return pointer;
}
/// The address that is kept `offset` bytes from there.
[[gnu::always_inline]] inline void* thread_word(std::ptrdiff_t offset) noexcept {
  void* word;
  asm volatile("mov %%fs:(%1), %0" : "=r"(word) : "r"(offset));
  return word;
}
#elif defined(__aarch64__)
[[gnu::always_inline]] inline std::uint64_t read_counter() noexcept {
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
}
[[gnu::always_inline]] inline void complete_instructions() noexcept {
  asm volatile("isb" ::: "memory");
}
[[gnu::always_inline]] inline char* thread_pointer() noexcept {
  char* pointer;
  asm("mrs %0, tpidr_el0" : "=r"(pointer));
  return pointer;
}
[[gnu::always_inline]] inline void* thread_word(std::ptrdiff_t offset) noexcept {
  return *reinterpret_cast<void* const volatile*>(thread_pointer() + offset);
}
#endif

}  // namespace tracer
