// SPDX-License-Identifier: BSD-3-Clause
// The call stack of the calling thread where a signal interrupted it. Async-signal-safe: takes no lock, allocates
// nothing, and reads the thread's own stack only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tracer/asked_runtime.hpp"
#include "tracer/sample/unwind.hpp"

namespace tracer::sample {

/// Of the calling thread; empty when they are not to be had. Not in handlers: it allocates.
StackBounds own_stack_bounds() noexcept;

/// Before the first walk, not in a handler: whether unwind tables can be used. Frame pointers are followed without.
bool prepare_unwinder() noexcept;

/// Where the runtime's part of the stack begins and ends, innermost first.
class RuntimeParts {
 public:
  RuntimeParts(const AskedRuntime& asked, const StackBounds& bounds) noexcept;
  /// Whether the frame whose code has its stack pointer at `stack`, and that ends before `end`, is the runtime's. To be
  /// called once for each frame, innermost first.
  bool is_runtime(std::uint64_t stack, std::uint64_t end) noexcept;
  /// The next frame that the program entered the runtime by, which lies at `from` or after; 0 none.
  std::uint64_t next_entry(std::uint64_t from) const noexcept;

 private:
  struct Edge {
    std::uint64_t at;
    bool to_user;        ///< what is outside of it is the program's
    bool frame_is_user;  ///< and the frame that has it
  };
  std::array<Edge, 2 * AskedRuntime::most_tasks> edges_;
  std::size_t count_ = 0, next_ = 0;
  bool in_runtime_ = false;
};

/// Writes the frames to `frames`, innermost first: the interrupted address, then return addresses, those of the
/// runtime's frames with raw::frame_of_runtime. As many as there is room for; their number. `context` is the handler's
/// third argument.
std::size_t walk_stack(const void* context, const AskedRuntime& asked, const StackBounds& bounds,
                       std::span<std::uint64_t> frames) noexcept;

}  // namespace tracer::sample
