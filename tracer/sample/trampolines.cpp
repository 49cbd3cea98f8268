// SPDX-License-Identifier: BSD-3-Clause
// See trampolines.hpp.
#include "tracer/sample/trampolines.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

namespace tracer::sample {
namespace {

struct Range {
  std::atomic<std::uint64_t> begin{0}, end{0};
};

/// Python takes memory for them by 64 KiB, some thousands of functions each.
constexpr std::size_t most_ranges = 512;
constinit std::array<Range, most_ranges> ranges;
constinit std::atomic<std::size_t> count{0};

void add_range(std::uint64_t begin, std::uint64_t end) noexcept {
  const std::size_t have = count.load(std::memory_order_relaxed);
  for (std::size_t i = have; i-- != 0;) {  // mostly the last one grows
    Range& range = ranges[i];
    const std::uint64_t now = range.end.load(std::memory_order_relaxed);
    if (begin < range.begin.load(std::memory_order_relaxed) || begin > now) continue;
    return range.end.store(std::max(now, end), std::memory_order_release);
  }
  if (have == most_ranges) return;
  ranges[have].begin.store(begin, std::memory_order_relaxed);
  ranges[have].end.store(end, std::memory_order_relaxed);
  count.store(have + 1, std::memory_order_release);
}

/// The range's end; 0 where there is none.
std::uint64_t end_of_range_with(std::uint64_t code) noexcept {
  for (std::size_t i = count.load(std::memory_order_acquire); i-- != 0;) {
    const std::uint64_t end = ranges[i].end.load(std::memory_order_acquire);
    if (code < end && code >= ranges[i].begin.load(std::memory_order_relaxed)) return end;
  }
  return 0;
}

#if defined(__x86_64__)
/// Bytes that what follows the call in the trampoline takes from the stack before it returns; -1 unknown.
int bytes_to_return(std::uint64_t code, std::uint64_t end, bool& restores_frame) noexcept {
  constexpr std::array<std::uint8_t, 5> add_and_return{0x48, 0x83, 0xc4, 0x08, 0xc3};  // add $8,%rsp; ret
  constexpr std::array<std::uint8_t, 2> pop_and_return{0x5d, 0xc3};                    // pop %rbp; ret
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(code);
  restores_frame = false;
  if (end - code >= add_and_return.size() && std::memcmp(bytes, add_and_return.data(), add_and_return.size()) == 0)
    return 8;
  restores_frame = true;
  if (end - code >= pop_and_return.size() && std::memcmp(bytes, pop_and_return.data(), pop_and_return.size()) == 0)
    return 8;
  return -1;
}
#endif

}  // namespace

void Trampolines::add(std::string_view lines) noexcept {
  while (!lines.empty()) {
    const std::size_t length = std::min(lines.find('\n'), lines.size());
    const std::string_view line = lines.substr(0, length);
    lines.remove_prefix(std::min(length + 1, lines.size()));
    if (line.find(" py::") == line.npos || line.size() > 4096) continue;
    char numbers[48] = {};
    std::memcpy(numbers, line.data(), std::min(line.size(), sizeof numbers - 1));
    char* rest = nullptr;
    const std::uint64_t begin = std::strtoull(numbers, &rest, 16);
    const std::uint64_t size = std::strtoull(rest, nullptr, 16);
    constexpr std::uint64_t largest = 4096, highest = std::uint64_t{1} << 47;
    if (begin >= 65536 && begin < highest && size != 0 && size <= largest)
      add_range(begin, begin + (size + 15) / 16 * 16);
  }
}

bool leave_trampoline([[maybe_unused]] FrameState& frame, [[maybe_unused]] const StackBounds& bounds) noexcept {
#if defined(__x86_64__)
  if (frame.was_interrupted) return false;
  const std::uint64_t end = end_of_range_with(frame.code);
  if (end == 0) return false;
  bool restores_frame = false;
  const int below = bytes_to_return(frame.code, end, restores_frame);
  const std::uint64_t at = frame.stack() + static_cast<std::uint64_t>(below < 0 ? 0 : below);
  if (below < 0 || !bounds.has_word(frame.stack()) || !bounds.has_word(at)) return false;
  if (restores_frame) frame.registers[frame_register] = *reinterpret_cast<const std::uint64_t*>(frame.stack());
  frame.code = *reinterpret_cast<const std::uint64_t*>(at);
  frame.registers[stack_register] = at + 8;
  return frame.code != 0;
#else
  return false;
#endif
}

}  // namespace tracer::sample
