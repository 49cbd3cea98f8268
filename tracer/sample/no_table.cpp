// SPDX-License-Identifier: BSD-3-Clause
// See no_table.hpp.
#include "tracer/sample/no_table.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tracer/sample/frame_tables.hpp"
#include "tracer/sample/trampolines.hpp"

namespace tracer::sample {
namespace {

constexpr std::size_t most_words = 512;  ///< of the stack that are looked at: 4 KiB
constexpr unsigned most_hops = 64;       ///< by frame pointers until there is a table
constexpr unsigned enough_frames = 8;    ///< that tables lead on
constexpr unsigned few_frames = 2;       ///< that tables lead on to more code without one
constexpr unsigned most_gaps = 4;
constexpr unsigned most_chains = 32;  ///< words that are looked at so closely

/// A call of up to seven bytes on x86-64, of four on AArch64. Reads the function's own bytes only.
bool is_behind_call(std::uint64_t code, std::uint64_t function) noexcept {
  const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(code - function, 7));
  std::uint8_t bytes[7] = {};
  std::memcpy(bytes + 7 - room, reinterpret_cast<const void*>(code - room), room);
#if defined(__aarch64__)
  std::uint32_t instruction = 0;
  std::memcpy(&instruction, bytes + 3, sizeof instruction);
  return code % 4 == 0 && ((instruction >> 26) == 0x25 || (instruction & 0xfffffc1f) == 0xd63f0000);  // bl, blr
#else
  if (bytes[2] == 0xe8) return true;
  for (std::size_t i = 0; i < 6; ++i)
    if (bytes[i] == 0xff && (bytes[i + 1] & 0x38) == 0x10) return true;
  return false;
#endif
}

/// A call in code with a table returns there.
bool is_return_address(const FrameState& frame) noexcept {
  const FrameEntry entry = find_frame_entry(frame.code - 1);
  return entry.description != nullptr && frame.code > entry.function && is_behind_call(frame.code, entry.function) &&
         has_table(frame);
}

/// [frame pointer] is the caller's, the word behind it the address in it.
bool hop(FrameState& frame, const StackBounds& bounds) noexcept {
  const std::uint64_t at = frame.registers[frame_register];
  if (at % 8 != 0 || at < frame.stack() || !bounds.has_word(at) || !bounds.has_word(at + 8)) return false;
  const auto* words = reinterpret_cast<const std::uint64_t*>(at);
  frame.registers[frame_register] = words[0];
  frame.registers[stack_register] = at + 16;
  frame.code = words[1];
  frame.was_interrupted = false;
  return frame.code != 0;
}

}  // namespace

/// Behind such code may be more of it, around what it calls.
bool CodeWithoutTable::leads_out(FrameState frame, const StackBounds& bounds) noexcept {
  for (unsigned frames = 0; frames < enough_frames; ++frames) {
    if (is_outermost(frame)) return true;
    const StackBounds above{frame.stack(), bounds.high};
    if (unwind(frame, above) || leave_trampoline(frame, above)) continue;
    if (frames < few_frames || gaps_ == most_gaps) return false;
    ++gaps_;
    const bool is_left = leave_once(frame, above);
    --gaps_;
    return is_left;
  }
  return true;
}

bool CodeWithoutTable::follow_frame_pointer(FrameState& frame, const StackBounds& bounds) noexcept {
  FrameState next = frame;
  if (!hop(next, bounds)) return false;
  FrameState end = next;
  for (unsigned hops = 0; end.stack() > sure_below_ && !is_return_address(end); ++hops)
    if (hops == most_hops || has_table(end) || !hop(end, bounds)) return false;
  if (end.stack() > sure_below_) {
    if (!leads_out(end, bounds)) return false;
    sure_below_ = end.stack();
  }
  frame = next;
  return true;
}

bool CodeWithoutTable::search(FrameState& frame, const StackBounds& bounds) noexcept {
  FrameState candidate = frame;
  candidate.was_interrupted = false;
  const auto is_caller = [&] {
    return !bounds.contains(candidate.code) && is_return_address(candidate) && ++chains_ <= most_chains &&
           leads_out(candidate, bounds);
  };
#if defined(__aarch64__)
  candidate.code = frame.registers[30];
  bool is_found = frame.was_interrupted && is_caller();
#else
  bool is_found = false;
#endif
  std::uint64_t at = frame.stack();
  for (std::size_t word = 0; !is_found && word < most_words && chains_ < most_chains && bounds.has_word(at); ++word) {
    std::memcpy(&candidate.code, reinterpret_cast<const void*>(at), sizeof candidate.code);
    at += 8;
    candidate.registers[stack_register] = at;
    is_found = is_caller();
  }
  if (is_found) frame = candidate;
  return is_found;
}

bool CodeWithoutTable::leave_once(FrameState& frame, const StackBounds& bounds) noexcept {
  return !has_table(frame) && (follow_frame_pointer(frame, bounds) || search(frame, bounds));
}

bool CodeWithoutTable::leave(FrameState& frame, const StackBounds& bounds) noexcept {
  chains_ = 0;
  return leave_once(frame, bounds);
}

}  // namespace tracer::sample
