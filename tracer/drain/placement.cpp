// SPDX-License-Identifier: BSD-3-Clause
// See placement.hpp.
#include "tracer/drain/placement.hpp"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "tracer/base/clock.hpp"

namespace tracer {

void Placement::note_producer(Channel& channel) noexcept {
  if (channel.is_new_in(window_.load(std::memory_order_relaxed))) {
    producers_.fetch_add(1, std::memory_order_relaxed);
    is_new_.store(true, std::memory_order_release);
  }
  const int processor = ::sched_getcpu();
  if (processor < 0 || static_cast<std::size_t>(processor) >= words * bits) return;
  const auto index = static_cast<std::size_t>(processor);
  const unsigned long bit = 1ul << index % bits;
  auto& word = used_[index / bits];
  if ((word.load(std::memory_order_relaxed) & bit) != 0) return;
  word.fetch_or(bit, std::memory_order_relaxed);
  is_new_.store(true, std::memory_order_release);
}

void Placement::apply() noexcept {
  const bool is_new = is_new_.load(std::memory_order_relaxed) && is_new_.exchange(false, std::memory_order_acquire);
  const Nanoseconds now = read_monotonic();
  const bool is_due = now >= due_;
  if (!is_new && !is_due) return;
  ProcessorMask usable;
  if (!read_noted_processors(usable)) return;
  ProcessorMask free;
  unsigned long any = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const unsigned long used = used_[i].load(std::memory_order_relaxed);
    free.words[i] = usable.words[i] & ~(used | before_.words[i]);
    any |= free.words[i];
  }
  const std::uint32_t producers = std::max(producers_before_, producers_.load(std::memory_order_relaxed));
  is_crowded_.store(any == 0 && producers >= count_of(usable), std::memory_order_relaxed);
  if (is_due) {
    window_.fetch_add(1, std::memory_order_relaxed);
    producers_before_ = producers_.exchange(0, std::memory_order_relaxed);
    due_ = now + memory_ns;
    for (std::size_t i = 0; i < words; ++i) before_.words[i] = used_[i].exchange(0, std::memory_order_relaxed);
  }
  if (any == 0) return lift();
  if (std::memcmp(free.words, usable.words, sizeof free.words) == 0) return lift();
  if (is_restricted_ && std::memcmp(free.words, applied_.words, sizeof free.words) == 0) return;
  is_restricted_ = run_on(free);
  applied_ = free;
}

void Placement::lift() noexcept {
  if (!is_restricted_) return;
  run_on_usable_processors();
  is_restricted_ = false;
}

}  // namespace tracer
