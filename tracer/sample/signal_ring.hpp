// SPDX-License-Identifier: BSD-3-Clause
// The ring that a signal's handler writes: not the thread's ring of records, whose push the signal may have
// interrupted.
//
// The handlers of one thread write it. A handler of the program may run on top of one of ours, be sampled in its turn,
// and leave by longjmp: ours never continues then. So no entry depends on the one before it:
//   1. position_ reserves the entry and its words by one exchange; a handler on top of this one reserves the next
//   2. the words are written
//   3. `whole` names the entry: it is complete
// The reader takes the entries in order, and skips one that does not become whole.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tracer::sample {

class SignalRing {
 public:
  /// `words`: a power of two. Throws std::bad_alloc.
  explicit SignalRing(std::size_t words)
      : words_(std::make_unique_for_overwrite<std::uint64_t[]>(words)),
        word_mask_(static_cast<std::uint32_t>(words - 1)),
        entries_(std::make_unique<Entry[]>(words / words_of_entry)),
        entry_mask_(static_cast<std::uint32_t>(words / words_of_entry - 1)) {}

  // The handler: async-signal-safe, also inside another push() of its thread.
  /// One entry; where there is no room it is counted as lost.
  void push(std::span<const std::uint64_t> words) noexcept {
    const auto size = static_cast<std::uint32_t>(words.size());
    std::uint64_t position = position_.load(std::memory_order_relaxed);
    do {
      if (entry_of(position) - tail_entry_.load(std::memory_order_acquire) > entry_mask_ ||
          word_of(position) + size - tail_word_.load(std::memory_order_acquire) > word_mask_ + 1)
        return lose();
    } while (!position_.compare_exchange_weak(position, after(position, size), std::memory_order_relaxed));
    Entry& entry = entries_[entry_of(position) & entry_mask_];
    entry.begin.store(word_of(position), std::memory_order_relaxed);
    entry.size.store(size, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < size; ++i) word(word_of(position) + i).store(words[i], std::memory_order_relaxed);
    entry.whole.store(entry_of(position) + 1, std::memory_order_release);
  }
  void lose() noexcept { lost_.fetch_add(1, std::memory_order_relaxed); }

  // The reader, one at a time.
  /// The words of the next entry, at most as many as `to` has; 0: there is none for now.
  std::size_t take(std::span<std::uint64_t> to) noexcept {
    for (;;) {
      const std::uint32_t number = tail_entry_.load(std::memory_order_relaxed);
      const std::uint64_t position = position_.load(std::memory_order_acquire);
      if (number == entry_of(position)) return 0;
      const Entry& entry = entries_[number & entry_mask_];
      if (entry.whole.load(std::memory_order_acquire) != number + 1) {
        if (!is_given_up(number)) return 0;
        skip(number, position);
        continue;
      }
      const std::uint32_t begin = entry.begin.load(std::memory_order_relaxed);
      const std::uint32_t size = entry.size.load(std::memory_order_relaxed);
      const std::size_t count = std::min<std::size_t>(size, to.size());
      for (std::uint32_t i = 0; i < count; ++i) to[i] = word(begin + i).load(std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_acquire);
      const bool stayed = entry.whole.load(std::memory_order_relaxed) == number + 1;
      release(number + 1, begin + size);
      if (stayed && count != 0) return count;
      lose();
    }
  }
  std::uint32_t take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t words_of_entry = 16;  ///< at least, of most entries
  /// How often an entry that is not whole is found by readings, which are a tenth of a second apart, before it is
  /// skipped.
  static constexpr unsigned patience = 2;

  struct Entry {
    std::atomic<std::uint32_t> begin{0}, size{0}, whole{0};  ///< `whole`: one more than the entry's number
  };

  static std::uint32_t entry_of(std::uint64_t position) noexcept { return static_cast<std::uint32_t>(position >> 32); }
  static std::uint32_t word_of(std::uint64_t position) noexcept { return static_cast<std::uint32_t>(position); }
  static std::uint64_t after(std::uint64_t position, std::uint32_t size) noexcept {
    return std::uint64_t{entry_of(position) + 1} << 32 | (word_of(position) + size);
  }
  std::atomic_ref<std::uint64_t> word(std::uint32_t at) const noexcept {
    return std::atomic_ref<std::uint64_t>(words_[at & word_mask_]);
  }

  bool is_given_up(std::uint32_t number) noexcept {
    if (waits_for_ != number + 1) looks_ = 0;
    waits_for_ = number + 1;
    return ++looks_ > patience;
  }
  /// Where the words of the next entry begin is known when that is whole; until then those of this one stay taken.
  void skip(std::uint32_t number, std::uint64_t position) noexcept {
    const Entry& next = entries_[(number + 1) & entry_mask_];
    std::uint32_t end = tail_word_.load(std::memory_order_relaxed);
    if (number + 1 == entry_of(position))
      end = word_of(position);
    else if (next.whole.load(std::memory_order_acquire) == number + 2)
      end = next.begin.load(std::memory_order_relaxed);
    release(number + 1, end);
    lose();
  }
  void release(std::uint32_t entry, std::uint32_t word) noexcept {
    tail_word_.store(word, std::memory_order_release);
    tail_entry_.store(entry, std::memory_order_release);
  }

  std::unique_ptr<std::uint64_t[]> words_;
  std::uint32_t word_mask_;
  std::unique_ptr<Entry[]> entries_;
  std::uint32_t entry_mask_;
  std::atomic<std::uint64_t> position_{0};  ///< the next entry's number, and where its words begin; both grow for ever
  std::atomic<std::uint32_t> tail_entry_{0}, tail_word_{0}, lost_{0};
  std::uint32_t waits_for_ = 0;  ///< the reader's, as looks_
  unsigned looks_ = 0;
};

}  // namespace tracer::sample
