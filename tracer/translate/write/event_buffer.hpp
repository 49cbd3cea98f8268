// SPDX-License-Identifier: BSD-3-Clause
// Collects a location's events in batches for its writer, and holds two rules: no event is older
// than the one before it, and nothing happens while recording is paused.
//
// A pause (omp_control_tool) may begin and end anywhere. Regions that are open stay open over it.
// What happens in between is put off to its end, after the MeasurementOnOff; what begins and ends
// within the pause - a region, a team, a parallel region - is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tracer/event.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/write/usage.hpp"

namespace tracer::translate {

class EventBuffer {
 public:
  /// `records` are expected: a thread that did little takes little memory. `text` is the attribute whose values are
  /// strings.
  EventBuffer(LocationWriter& writer, RegionTable& regions, std::uint64_t records, std::uint32_t text = undefined_ref)
      : writer_(writer), regions_(regions), text_(text) {
    events_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(batch, 2 * records + 16)));
  }

  void add(Nanoseconds time, EventType type, std::uint32_t ref, std::uint64_t a = 0, std::uint64_t b = 0,
           std::uint16_t sub = 0) {
    if (paused_) [[unlikely]]
      return put_off({time, type, pending_, sub, ref, a, b});
    if (RegionTable::is_deferred(ref) && (type == EventType::enter || type == EventType::leave)) [[unlikely]]
      ref = regions_.keep(ref);
    if (names_more(type)) note_usage(type, ref, a);
    if (time < last_) {
      ++clamped_;
      time = last_;
    }
    last_ = time;
    if (count_++ == 0) first_ = time;
    put(time, type, sub, ref, a, b);
    pending_ = 0;
    if (used_ >= batch) flush();
  }
  /// As add(), for Enter and Leave of a region with a reference, not a deferred one, while nothing is paused.
  void add_region(Nanoseconds time, EventType type, RegionRef region) {
    if (time < last_) [[unlikely]] {
      ++clamped_;
      time = last_;
    }
    last_ = time;
    if (count_++ == 0) first_ = time;
    put(time, type, 0, region, 0, 0);
    pending_ = 0;
    if (used_ >= batch) [[unlikely]]
      flush();
  }
  /// Belongs to the next event that is added. At most 255 for one event; more are left out.
  void attribute(std::uint32_t ref, std::uint64_t value) {
    if (ref == 0xffffffffu || pending_ == 255) return;
    attributes_.push_back({ref, value});
    ++pending_;
  }
  /// More of the next event than an Event has room for; before its attributes.
  void payload(std::uint32_t number, std::uint64_t value) {
    attributes_.push_back(EventAttribute::payload(number, value));
    ++pending_;
  }
  /// The event they were for is left out.
  void forget_attributes() {
    attributes_.resize(attributes_.size() - pending_);
    pending_ = 0;
  }
  void flush() {
    for (const EventAttribute& a : attributes_) {
      if (a.is_payload()) continue;
      usage_.attribute(a.attribute);
      if (a.attribute == text_) usage_.string(static_cast<std::uint32_t>(a.value));
    }
    events_.resize(used_);
    if (used_ != 0) writer_.take(events_, attributes_);
    used_ = 0;
    attributes_.clear();
  }

  void pause(Nanoseconds time);
  void resume(Nanoseconds time);
  bool paused() const noexcept { return paused_; }

  Nanoseconds first() const noexcept { return first_; }
  Nanoseconds last() const noexcept { return last_; }
  std::uint64_t count() const noexcept { return count_; }
  Usage& usage() noexcept { return usage_; }                   ///< of what is flushed
  std::uint64_t clamped() const noexcept { return clamped_; }  ///< events that were older than their predecessor

 private:
  struct PutOff {
    Event event;
    std::vector<EventAttribute> attributes;
  };
  /// Field by field into its place: what is put together elsewhere and copied waits for its own stores, 6 ns an event.
  void put(Nanoseconds time, EventType type, std::uint16_t sub, std::uint32_t ref, std::uint64_t a, std::uint64_t b) {
    if (used_ == events_.size()) [[unlikely]]
      events_.resize(std::clamp<std::size_t>(2 * used_, 64, batch));
    Event& e = events_[used_++];
    e.time = time;
    e.type = type;
    e.attributes = pending_;
    e.sub = sub;
    e.ref = ref;
    e.a = a;
    e.b = b;
  }
  /// It names a communicator, a parameter or a string.
  static constexpr bool names_more(EventType type) noexcept {
    static_assert(static_cast<unsigned>(EventType::mpi_rma_sync) < 64);  // the last
    constexpr auto bit = [](EventType one) { return std::uint64_t{1} << static_cast<unsigned>(one); };
    constexpr std::uint64_t mpi = (bit(EventType::comm_destroy) << 1) - bit(EventType::mpi_send);
    constexpr std::uint64_t those = mpi | bit(EventType::parameter_string) | bit(EventType::parameter_uint) |
                                    bit(EventType::team_begin) | bit(EventType::task_create) |
                                    bit(EventType::task_switch) | bit(EventType::mpi_rma_group_sync);
    return (those & bit(type)) != 0;
  }
  void note_usage(EventType type, std::uint32_t ref, std::uint64_t a) {
    if (type == EventType::task_switch || type == EventType::task_create || type == EventType::team_begin)
      return usage_.comm(ref);
    if (type >= EventType::mpi_send && type <= EventType::comm_destroy) return note_mpi(type, ref);
    if (type == EventType::mpi_rma_group_sync) return usage_.group(ref);
    usage_.parameter(ref);
    if (type == EventType::parameter_string) usage_.string(static_cast<std::uint32_t>(a));
  }
  void note_mpi(EventType type, std::uint32_t comm);
  void put_off(Event event);
  bool cancels(const Event& end) noexcept;

  static constexpr std::size_t batch = 4096;  // 128 KiB: stays in the second-level cache
  LocationWriter& writer_;
  RegionTable& regions_;
  std::uint32_t text_;
  Usage usage_;
  std::vector<Event> events_;  ///< of which used_ are events
  std::size_t used_ = 0;
  std::vector<EventAttribute> attributes_;
  std::uint8_t pending_ = 0;
  Nanoseconds first_ = 0, last_ = 0;
  std::uint64_t count_ = 0, clamped_ = 0;
  bool paused_ = false, told_ = false;
  std::vector<PutOff> put_off_;
};

}  // namespace tracer::translate
