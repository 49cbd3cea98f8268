// SPDX-License-Identifier: BSD-3-Clause
// One producer's ring of records, and the two ends that share it without a lock.
//
//   positions grow for ever (they are not kept modulo the size: empty and full differ);
//   slot of a position = position & (capacity - 1)
//
//        tail                      head              tail + capacity
//   ------+-------------------------+-------------------------+------> positions
//     free|  published, to be read  |  free, to be written    | not yet
//
//   tail <= head <= tail + capacity        (modulo the position type)
//   empty: head == tail                    full: head == tail + capacity
//
// The producer owns head, the consumer owns tail; each only reads the other's. The producer writes a
// slot, then publishes head (release); the consumer sees head (acquire), copies the slots, then
// publishes tail (release), which the producer sees (acquire) before it writes them again. `limit` is
// the position at which the producer must look around: what it last knew to be free, or less, so that
// a single comparison serves the ring's end, the drainer's wake-up and the end of recording.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace tracer {

/// How a slot is written; a slot's type may overload it, also for what becomes one.
template <typename Slot>
void copy_slot(Slot& to, const Slot& from) noexcept {
  to = from;
}

template <std::unsigned_integral Position, typename Slot>
class RingWriter {
 public:
  using Difference = std::make_signed_t<Position>;

  /// `capacity` is a power of two, at most half of what Position can count.
  void attach(Slot* slots, Position capacity, std::atomic<Position>& head, std::atomic<Position>& tail) noexcept {
    slots_ = slots;
    mask_ = static_cast<Position>(capacity - 1);
    shared_head_ = &head;
    shared_tail_ = &tail;
    limit_.store(this->head(), std::memory_order_relaxed);
  }

  /// Producer. Whether `count` slots lie before the limit.
  bool fits(Position count) const noexcept { return before_limit(head()) >= static_cast<Difference>(count); }

  /// Producer; only when fits() as many, or there is room(). Several become visible at once.
  template <class... Slots>
  void put(const Slots&... slots) noexcept {
    put_at(head(), slots...);
  }

  /// Producer. fits() and put() in one, with a single look at the head.
  template <class... Slots>
  [[gnu::always_inline]] bool try_put(const Slots&... slots) noexcept {
    const Position at = head();
    if (before_limit(at) < static_cast<Difference>(sizeof...(Slots))) [[unlikely]]
      return false;
    put_at(at, slots...);
    return true;
  }

  /// Producer. Free slots, by the consumer's latest word.
  Position room() const noexcept { return static_cast<Position>(capacity() - used()); }
  Position used() const noexcept {
    return static_cast<Position>(head() - shared_tail_->load(std::memory_order_acquire));
  }

  /// Only the producer writes it, so that it needs no copy of its own.
  Position head() const noexcept { return shared_head_->load(std::memory_order_relaxed); }
  Position capacity() const noexcept { return static_cast<Position>(mask_ + 1); }

  /// Whether another library may put slots by `Lane`'s first members, the same under names of its own.
  template <class Lane>
  static consteval bool begins_as() noexcept {
    return offsetof(RingWriter, slots_) == offsetof(Lane, records) &&
           offsetof(RingWriter, mask_) == offsetof(Lane, mask) &&
           offsetof(RingWriter, limit_) == offsetof(Lane, limit) &&
           offsetof(RingWriter, shared_head_) == offsetof(Lane, head) &&
           sizeof(std::atomic<Position>) == sizeof(Lane::limit);
  }

  /// Producer, while the ring is empty: from now on positions fall into the first `capacity` slots.
  void resize(Position capacity) noexcept { mask_ = static_cast<Position>(capacity - 1); }

  /// Producer: `count` more slots may be written without looking around.
  void allow(Position count) noexcept {
    limit_.store(static_cast<Position>(head() + count), std::memory_order_relaxed);
  }

  /// Any thread: makes the producer look around at its next record. A producer that is just calling allow()
  /// may miss it and must look at the reason after that.
  void interrupt() noexcept { limit_.store(shared_head_->load(std::memory_order_relaxed), std::memory_order_relaxed); }

  /// Producer of a flight recorder: gives up the oldest slots up to `tail`, which no reader may count on then.
  void overrun(Position tail) noexcept {
    shared_tail_->store(tail, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }

 private:
  Difference before_limit(Position at) const noexcept {
    return static_cast<Difference>(static_cast<Position>(limit_.load(std::memory_order_relaxed) - at));
  }
  template <class... Slots>
  [[gnu::always_inline]] void put_at(Position at, const Slots&... slots) noexcept {
    Position next = at;
    (copy_slot(slots_[next++ & mask_], slots), ...);
    shared_head_->store(next, std::memory_order_release);
  }

  Slot* slots_ = nullptr;
  Position mask_ = 0;
  std::atomic<Position> limit_{0};
  std::atomic<Position>* shared_head_ = nullptr;
  std::atomic<Position>* shared_tail_ = nullptr;
};

/// The published part of a ring: at most two pieces of memory.
template <typename Slot>
struct RingPart {
  std::span<const Slot> first, second;
  std::size_t size() const noexcept { return first.size() + second.size(); }
};

/// The consumer's end. One at a time; it keeps nothing of its own, so that it may be made anew for each look.
template <std::unsigned_integral Position, typename Slot>
class RingReader {
 public:
  /// `capacity` may change while the ring is empty, and is read with each part.
  RingReader(const Slot* slots, const std::atomic<Position>& capacity, const std::atomic<Position>& head,
             std::atomic<Position>& tail) noexcept
      : slots_(slots), capacity_(capacity), head_(head), tail_(tail) {}

  /// What is published and not released: [begin, end).
  Position begin() const noexcept { return tail_.load(std::memory_order_relaxed); }
  Position end() const noexcept { return head_.load(std::memory_order_acquire); }

  /// Of published slots.
  RingPart<Slot> part(Position from, Position to) const noexcept {
    const Position capacity = capacity_.load(std::memory_order_acquire);
    const auto count = static_cast<Position>(to - from);
    const auto begin = static_cast<Position>(from & static_cast<Position>(capacity - 1));
    const auto until_end = static_cast<Position>(capacity - begin);
    if (count <= until_end) return {{slots_ + begin, count}, {}};
    return {{slots_ + begin, until_end}, {slots_, static_cast<std::size_t>(count - until_end)}};
  }
  const Slot& at(Position position) const noexcept {
    return slots_[position & static_cast<Position>(capacity_.load(std::memory_order_acquire) - 1)];
  }

  /// What is before `to` was copied: the producer may write there again.
  void release(Position to) noexcept { tail_.store(to, std::memory_order_release); }

  // Of a flight recorder, whose producer gives up the oldest slots (RingWriter::overrun()) while they are read
  /// The oldest that it has not given up.
  Position oldest() const noexcept { return tail_.load(std::memory_order_acquire); }
  /// The same behind a copy: what is before it may have been written over meanwhile.
  Position oldest_copied() const noexcept {
    std::atomic_thread_fence(std::memory_order_acquire);
    return tail_.load(std::memory_order_relaxed);
  }

 private:
  const Slot* slots_;
  const std::atomic<Position>& capacity_;
  const std::atomic<Position>& head_;
  std::atomic<Position>& tail_;
};

/// Consumer, before it reads published slots: takes their cache lines for itself, by writing a word of each back as it
/// is. A line that is only read is shared afterwards, and the producer, when it comes round, must first have the other
/// copy dropped: on Zen 4 that made 10 ns per record 30, with rings of any size, with and without prefetching on either
/// side. A line that the consumer has written moves to the producer at once.
template <typename Slot>
void claim(std::span<const Slot> slots) noexcept {
  using Word [[gnu::may_alias]] = std::uint64_t;
  constexpr std::size_t line = 64, step = sizeof(Slot) < line ? line / sizeof(Slot) : 1;
  for (std::size_t i = 0; i < slots.size(); i += step) {
    auto* word = const_cast<volatile Word*>(reinterpret_cast<const volatile Word*>(&slots[i]));
    *word = *word;
  }
}

}  // namespace tracer
