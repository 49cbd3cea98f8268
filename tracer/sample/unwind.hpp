// SPDX-License-Identifier: BSD-3-Clause
// One step up a call stack by a function's unwind table (.eh_frame; DWARF 5, 6.4), for signals' handlers.
//
// libgcc's own unwinder reads wherever a table leads, and tables are wrong at some instructions: in the middle of
// libgcc's _Unwind_RaiseException the next address is a number, and looking at the code there ends the process. Here
// every word that is read lies on the thread's stack. Tables are found by frame_tables.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tracer::sample {

/// Addresses of a stack: [low, high).
struct StackBounds {
  std::uint64_t low = 0, high = 0;
  bool contains(std::uint64_t address) const noexcept { return address >= low && address < high; }
  bool has_word(std::uint64_t address) const noexcept { return contains(address) && high - address >= 8; }
};

#if defined(__aarch64__)
inline constexpr std::size_t register_count = 33, stack_register = 31, frame_register = 29;
#else
inline constexpr std::size_t register_count = 17, stack_register = 7, frame_register = 6;
#endif

/// A frame's registers by their numbers in DWARF.
struct FrameState {
  std::array<std::uint64_t, register_count> registers{};
  std::uint64_t code = 0;       ///< the address that it goes on at
  bool was_interrupted = true;  ///< there: not a return address
  std::uint64_t stack() const noexcept { return registers[stack_register]; }
};

/// Where a signal interrupted a thread. `context`: the handler's third argument.
FrameState interrupted_frame(const void* context) noexcept;

/// The caller's frame in place of `frame`. False, and nothing done, where there is none or no table leads there.
/// Async-signal-safe, as are the next.
bool unwind(FrameState& frame, const StackBounds& bounds) noexcept;
bool has_table(const FrameState& frame) noexcept;
/// By its table: a program or thread begins there.
bool is_outermost(const FrameState& frame) noexcept;

}  // namespace tracer::sample
