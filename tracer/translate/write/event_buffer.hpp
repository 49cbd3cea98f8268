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
#include <utility>
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
    make_room(static_cast<std::size_t>(std::min<std::uint64_t>(batch, 2 * records + 16)));
  }

  /// Of a region with a reference of the archive, or a deferred one (RegionTable).
  void enter(Nanoseconds time, RegionRef region) { add_region(time, EventType::enter, region); }
  void leave(Nanoseconds time, RegionRef region) { add_region(time, EventType::leave, region); }
  /// Any other.
  void add(Nanoseconds time, EventType type, std::uint32_t ref, std::uint64_t a = 0, std::uint64_t b = 0,
           std::uint16_t sub = 0) {
    if (paused_) [[unlikely]]
      return put_off({time, type, pending_, sub, ref, a, b});
    if (names_more(type)) note_usage(type, ref, a);
    put(time, type, sub, ref, a, b);
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
  void flush();

  void pause(Nanoseconds time);
  void resume(Nanoseconds time);
  bool paused() const noexcept { return paused_; }

  Nanoseconds first() const noexcept { return first_; }  ///< of what is flushed
  Nanoseconds last() const noexcept { return last_; }
  std::uint64_t count() const noexcept { return flushed_ + used(); }
  Usage& usage() noexcept { return usage_; }                   ///< of what is flushed
  std::uint64_t clamped() const noexcept { return clamped_; }  ///< events that were older than their predecessor

 private:
  struct PutOff {
    Event event;
    std::vector<EventAttribute> attributes;
  };
  [[gnu::always_inline]] void add_region(Nanoseconds time, EventType type, RegionRef region) {
    if (paused_ || RegionTable::is_deferred(region)) [[unlikely]]
      return add_unusual_region(time, type, region);
    put(time, type, 0, region, 0, 0);
  }
  void add_unusual_region(Nanoseconds time, EventType type, RegionRef region);
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
  void filled();
  void make_room(std::size_t events);
  std::size_t used() const noexcept { return static_cast<std::size_t>(next_ - events_.data()); }
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

  static constexpr std::size_t smallest = 64, batch = 4096;  // 128 KiB: stays in the second-level cache
  LocationWriter& writer_;
  RegionTable& regions_;
  std::uint32_t text_;
  Usage usage_;
  std::vector<Event> events_;
  Event* next_ = nullptr;  ///< in events_, never its end: where the next event goes
  Event* end_ = nullptr;
  std::vector<EventAttribute> attributes_;
  std::uint8_t pending_ = 0;
  Nanoseconds first_ = 0, last_ = 0;
  std::uint64_t flushed_ = 0, clamped_ = 0;
  bool paused_ = false, told_ = false;
  std::vector<PutOff> put_off_;
};

}  // namespace tracer::translate
