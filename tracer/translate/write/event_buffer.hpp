// SPDX-License-Identifier: BSD-3-Clause
// A location's events on their way to its batches: while recording is paused nothing happens.
//
// A pause (omp_control_tool) may begin and end anywhere. Regions that are open stay open over it.
// What happens in between is put off to its end, after the MeasurementOnOff; what begins and ends
// within the pause - a region, a team, a parallel region - is left out.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/event.hpp"
#include "tracer/event_sink.hpp"
#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/write/event_batch.hpp"
#include "tracer/translate/write/usage.hpp"

namespace tracer::translate {

class EventBuffer {
 public:
  /// `records` are expected: a thread that did little takes little memory. `text` is the attribute whose values are
  /// strings.
  EventBuffer(LocationWriter& writer, RegionTable& regions, std::uint64_t records, std::uint32_t text = undefined_ref)
      : batch_(writer, 2 * records + 16), regions_(regions), text_(text) {}

  /// Of a region with a reference of the archive, or a deferred one (RegionTable). undefined_ref: of none, as where the
  /// scan did not take the record for the begin of one; it is left out.
  void enter(Nanoseconds time, RegionRef region) { add_region(time, EventType::enter, region); }
  void leave(Nanoseconds time, RegionRef region) { add_region(time, EventType::leave, region); }
  /// Any other.
  void add(Nanoseconds time, EventType type, std::uint32_t ref, std::uint64_t a = 0, std::uint64_t b = 0,
           std::uint16_t sub = 0) {
    if (paused_) [[unlikely]]
      return put_off(time, type, sub, ref, a, b);
    note_usage(type, ref, a);
    batch_.put(time, type, sub, ref, a, b);
  }
  /// Whether the next event has room for an attribute.
  bool takes_attribute() const noexcept { return batch_.takes_attribute(); }
  /// Belongs to the next event that is added; left out where it has no room.
  void attribute(std::uint32_t ref, std::uint64_t value) {
    if (ref != undefined_ref) batch_.attribute({ref, value});
  }
  /// More of the next event than an Event has room for; before its attributes.
  void payload(std::uint32_t number, std::uint64_t value) { batch_.attribute(EventAttribute::payload(number, value)); }
  /// The event they were for is left out.
  void forget_attributes() { batch_.forget_attributes(); }
  void flush() { batch_.flush(); }

  void pause(Nanoseconds time);
  void resume(Nanoseconds time);
  bool paused() const noexcept { return paused_; }

  Nanoseconds last() const noexcept { return batch_.last(); }
  const EventBatch& batch() const noexcept { return batch_; }
  Usage& usage() noexcept { return usage_; }

 private:
  struct PutOff {
    Event event;
    std::vector<EventAttribute> attributes;
  };
  [[gnu::always_inline]] void add_region(Nanoseconds time, EventType type, RegionRef region) {
    if (paused_ || (region & RegionTable::deferred_bit) != 0) [[unlikely]]
      return add_unusual_region(time, type, region);
    if (batch_.has_attributes()) [[unlikely]]
      note_attributes();
    batch_.put(time, type, 0, region, 0, 0);
  }
  void add_unusual_region(Nanoseconds time, EventType type, RegionRef region);
  /// What the event that comes now names.
  void note_usage(EventType type, std::uint32_t ref, std::uint64_t a) {
    if (batch_.has_attributes()) note_attributes();
    if (Usage::names_more(type)) usage_.event(type, ref, a);
  }
  void note_attributes();
  void put_off(Nanoseconds time, EventType type, std::uint16_t sub, std::uint32_t ref, std::uint64_t a,
               std::uint64_t b);
  void put_off_value(PutOff value);
  void write_put_off(Nanoseconds time, const std::vector<PutOff>& all);
  bool cancels(const Event& end) noexcept;
  bool completes_last(const Event& end) noexcept;

  EventBatch batch_;
  RegionTable& regions_;
  std::uint32_t text_;
  Usage usage_;
  bool paused_ = false, is_marked_ = false;
  std::vector<PutOff> put_off_;
  std::vector<PutOff> values_;  ///< the last of each counter: it is true behind the pause, whatever is around it
};

}  // namespace tracer::translate
