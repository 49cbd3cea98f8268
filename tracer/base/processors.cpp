// SPDX-License-Identifier: BSD-3-Clause
// See processors.hpp.
#include "tracer/base/processors.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace tracer {
namespace {

ProcessorMask remembered;
std::atomic<bool> is_remembered{false};

}  // namespace

bool read_processors(std::uint64_t os_thread_id, ProcessorMask& mask) noexcept {
  mask = {};
  return ::syscall(SYS_sched_getaffinity, static_cast<pid_t>(os_thread_id), sizeof mask.words, mask.words) > 0;
}

unsigned count_of(const ProcessorMask& mask) noexcept {
  unsigned count = 0;
  for (const unsigned long word : mask.words) count += static_cast<unsigned>(std::popcount(word));
  return count;
}

ProcessorMask mask_of(std::string_view list) noexcept {
  constexpr std::size_t bits = 8 * sizeof ProcessorMask{}.words[0], all = 8 * sizeof ProcessorMask{}.words;
  ProcessorMask mask;
  const char* at = list.data();
  const char* const end = at + list.size();
  const auto number = [&](std::size_t& value) {
    const auto [behind, error] = std::from_chars(at, end, value);
    at = behind;
    return error == std::errc{} && value < all;
  };
  while (at != end) {
    std::size_t first = 0, last = 0;
    if (!number(first)) return {};
    last = first;
    if (at != end && *at == '-' && (++at, !number(last))) return {};
    for (std::size_t i = first; i <= last; ++i) mask.words[i / bits] |= 1ul << i % bits;
    if (at != end && *at++ != ',') return {};
  }
  return mask;
}

std::string list_of(const ProcessorMask& mask) {
  constexpr std::size_t bits = 8 * sizeof mask.words[0], all = 8 * sizeof mask.words;
  const auto has = [&](std::size_t i) { return i < all && (mask.words[i / bits] >> i % bits & 1) != 0; };
  std::string text;
  for (std::size_t i = 0; i < all; ++i) {
    if (!has(i)) continue;
    const std::size_t first = i;
    while (has(i + 1)) ++i;
    text += (text.empty() ? "" : ",") + std::to_string(first) + (i == first ? "" : "-" + std::to_string(i));
  }
  return text;
}

void remember_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire) || !read_processors(0, remembered)) return;
  is_remembered.store(true, std::memory_order_release);
}

unsigned usable_processors() noexcept {
  ProcessorMask mask;
  if (is_remembered.load(std::memory_order_acquire)) {
    mask = remembered;
  } else {
    read_processors(0, mask);
  }
  return std::max(count_of(mask), 1u);
}

std::string noted_processors() {
  return is_remembered.load(std::memory_order_acquire) ? list_of(remembered) : std::string{};
}

bool read_noted_processors(ProcessorMask& mask) noexcept {
  if (!is_remembered.load(std::memory_order_acquire)) return false;
  mask = remembered;
  return true;
}

bool run_on(const ProcessorMask& mask) noexcept {
  return ::syscall(SYS_sched_setaffinity, 0, sizeof mask.words, mask.words) == 0;
}

void run_on_usable_processors() noexcept {
  if (is_remembered.load(std::memory_order_acquire))
    ::syscall(SYS_sched_setaffinity, 0, sizeof remembered.words, remembered.words);
}

}  // namespace tracer
