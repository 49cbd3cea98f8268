// SPDX-License-Identifier: BSD-3-Clause
// The tool in a program of MemorySanitizer.
#pragma once

extern "C" {
[[gnu::weak]] void __msan_scoped_disable_interceptor_checks();
[[gnu::weak]] void __msan_scoped_enable_interceptor_checks();
}

namespace tracer {

/// From now on, functions of the C library that the calling thread calls are not checked for what they read. The
/// sanitizer sees only what its own compiler has made: what this code has written is uninitialised to it. Does nothing
/// in other programs. Counted.
inline void begin_without_memory_checks() noexcept {
  if (__msan_scoped_disable_interceptor_checks != nullptr) __msan_scoped_disable_interceptor_checks();
}
inline void end_without_memory_checks() noexcept {
  if (__msan_scoped_enable_interceptor_checks != nullptr) __msan_scoped_enable_interceptor_checks();
}

/// Of its life.
class WithoutMemoryChecks {
 public:
  WithoutMemoryChecks() noexcept { begin_without_memory_checks(); }
  ~WithoutMemoryChecks() { end_without_memory_checks(); }
  WithoutMemoryChecks(const WithoutMemoryChecks&) = delete;
  WithoutMemoryChecks& operator=(const WithoutMemoryChecks&) = delete;
};

}  // namespace tracer
