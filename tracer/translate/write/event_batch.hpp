// SPDX-License-Identifier: BSD-3-Clause
// Collects a location's events in batches for its writer: no event is older than the one before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tracer/event.hpp"
#include "tracer/event_sink.hpp"

namespace tracer::translate {

class EventBatch {
 public:
  /// `events` are expected: a thread that did little takes little memory.
  EventBatch(LocationWriter& writer, std::uint64_t events);

  /// Field by field into its place: what is put together elsewhere and copied waits for its own stores, 6 ns an event.
  [[gnu::always_inline]] void put(Nanoseconds time, EventType type, std::uint16_t sub, std::uint32_t ref,
                                  std::uint64_t a, std::uint64_t b) {
    if (time < last_) [[unlikely]] {
      ++clamped_;
      time = last_;
    }
    last_ = time;
    Event& e = *next_++;
    e.time = time;
    e.type = type;
    e.attributes = std::exchange(pending_, 0);
    e.sub = sub;
    e.ref = ref;
    e.a = a;
    e.b = b;
    if (next_ == end_) [[unlikely]]
      filled();
  }
  /// Whether the next event has room for an attribute: 255 have room.
  bool takes_attribute() const noexcept { return pending_ != 255; }
  /// Belongs to the next event that is put; left out where it has no room.
  void attribute(const EventAttribute& attribute) {
    if (!takes_attribute()) return;
    attributes_.push_back(attribute);
    ++pending_;
  }
  bool has_attributes() const noexcept { return pending_ != 0; }
  /// The attributes of the next event, in their order.
  std::span<const EventAttribute> pending() const noexcept { return std::span(attributes_).last(pending_); }
  /// The event they were for is left out.
  void forget_attributes() {
    attributes_.resize(attributes_.size() - pending_);
    pending_ = 0;
  }
  void flush();

  Nanoseconds first() const noexcept { return first_; }  ///< of what is flushed
  Nanoseconds last() const noexcept { return last_; }
  std::uint64_t count() const noexcept { return flushed_ + used(); }
  std::uint64_t clamped() const noexcept { return clamped_; }  ///< events that were older than their predecessor

 private:
  void filled();
  void make_room(std::size_t events);
  std::size_t used() const noexcept { return static_cast<std::size_t>(next_ - events_.data()); }

  static constexpr std::size_t smallest = 64, most = 4096;  // 128 KiB: stays in the second-level cache
  LocationWriter& writer_;
  std::vector<Event> events_;
  Event* next_ = nullptr;  ///< in events_, never its end: where the next event goes
  Event* end_ = nullptr;
  std::vector<EventAttribute> attributes_;
  std::uint8_t pending_ = 0;
  Nanoseconds first_ = 0, last_ = 0;
  std::uint64_t flushed_ = 0, clamped_ = 0;
};

}  // namespace tracer::translate
