// SPDX-License-Identifier: BSD-3-Clause
// The ring that a signal's handler writes: not the thread's ring of records, whose push the signal may have
// interrupted.
//
// Positions grow for ever, as those of tracer/ring. An entry is written in place and published at once:
//   words that follow << 32 | processor, time, state, wait id, frames...
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace tracer::sample {

class SignalRing {
 public:
  /// `words`: a power of two. Throws std::bad_alloc.
  explicit SignalRing(std::size_t words)
      : words_(std::make_unique_for_overwrite<std::uint64_t[]>(words)), mask_(words - 1) {}

  // The handler.
  /// Whether `most` words fit; a refusal is counted. After it put() that many at most, then commit().
  bool begin(std::size_t most) noexcept {
    at_ = head_.load(std::memory_order_relaxed);
    if (at_ + most - tail_.load(std::memory_order_acquire) <= mask_ + 1) return true;
    lost_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  void put(std::uint64_t word) noexcept { words_[at_++ & mask_] = word; }
  /// The word that was put as the `index`-th after begin() anew.
  void set(std::size_t index, std::uint64_t word) noexcept {
    words_[(head_.load(std::memory_order_relaxed) + index) & mask_] = word;
  }
  std::size_t count() const noexcept { return static_cast<std::size_t>(at_ - head_.load(std::memory_order_relaxed)); }
  void commit() noexcept { head_.store(at_, std::memory_order_release); }

  // The reader, one at a time.
  bool is_empty() const noexcept { return head_.load(std::memory_order_acquire) == tail_.load(); }
  /// Of what is not empty.
  std::uint64_t take() noexcept {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t word = words_[tail & mask_];
    tail_.store(tail + 1, std::memory_order_release);
    return word;
  }
  std::uint32_t take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  std::unique_ptr<std::uint64_t[]> words_;
  std::uint64_t mask_;
  std::atomic<std::uint64_t> head_{0}, tail_{0};
  std::uint64_t at_ = 0;  ///< the handler's
  std::atomic<std::uint32_t> lost_{0};
};

}  // namespace tracer::sample
