// SPDX-License-Identifier: BSD-3-Clause
// Translates events as formats/otf2 reads them into the project's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/otf2/common/clock_ticks.hpp"
#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/read/archive_definitions.hpp"
#include "formats/otf2/read/event_reader.hpp"
#include "tracer/event.hpp"

namespace tracer::otf2 {

/// References to what Definitions has none of.
constexpr bool is_without_definitions(ValueType type) noexcept {
  return type >= ValueType::source_code_location && type <= ValueType::interrupt_generator;
}

/// Of one archive; what it is made of must be there as long. Several threads may use it at once.
class EventTranslation {
 public:
  /// `definitions`: those of `from` as the project has them, `index` how their numbers meet.
  EventTranslation(const TraceDefinitions& from, const Indices& index, const Definitions& definitions)
      : from_{from},
        index_{index},
        definitions_{definitions},
        resolution_{from.clock.resolution == 0 ? 1 : from.clock.resolution} {}

  /// Of the archive's clock.
  std::uint64_t nanoseconds(std::uint64_t ticks) const { return nanoseconds_of(ticks, resolution_); }

  /// Fills event and attributes, what an Event has no room for first. False: it has no meaning here.
  bool translate(const EventView& view, Event& event, std::vector<EventAttribute>& attributes) const;
  /// The same, in `events` from the first on, which grows where it is too short: a metric's event becomes one for each
  /// of its values, of which the first has the attributes. The number of events.
  std::size_t translate(const EventView& view, std::vector<Event>& events,
                        std::vector<EventAttribute>& attributes) const;
  /// Its attributes are the caller's.
  void translate(const PlainEvent& plain, Event& event) const {
    event.time = nanoseconds(plain.time);
    event.attributes = plain.attributes;
    event.sub = 0;
    fill_plain(plain.kind, plain.field, event);
  }

 private:
  /// Of one of PlainEvent's kinds: member by member into its place, since a copy of the whole would wait for them.
  template <class Fields>
  void fill_plain(EventKind kind, const Fields& field, Event& event) const {
    const bool is_edge = kind == EventKind::enter || kind == EventKind::leave;
    const bool is_lock = kind == EventKind::thread_acquire_lock || kind == EventKind::thread_release_lock;
    event.type = type_of(kind);
    event.ref = is_edge ? index_.regions[field[0]] : is_lock ? 0 : index_.comms[field[0]];
    event.a = is_edge ? 0 : field[1];
    event.b = is_edge ? 0 : field[2];
  }
  static EventType type_of(EventKind plain) {
    switch (plain) {
      case EventKind::enter:
        return EventType::enter;
      case EventKind::leave:
        return EventType::leave;
      case EventKind::thread_acquire_lock:
        return EventType::acquire_lock;
      case EventKind::thread_release_lock:
        return EventType::release_lock;
      case EventKind::thread_task_create:
        return EventType::task_create;
      case EventKind::thread_task_switch:
        return EventType::task_switch;
      default:
        return EventType::task_complete;
    }
  }
  std::optional<std::uint64_t> dense(const AttributeView& attribute) const;
  bool is_of_mpi(std::uint64_t window) const;
  std::uint32_t region_of_context(std::uint64_t context) const;
  bool translate_mpi(const EventView& view, Event& event, std::vector<EventAttribute>& attributes) const;
  bool translate_one_sided(const EventView& view, Event& event, std::vector<EventAttribute>& attributes) const;
  bool translate_io(const EventView& view, Event& event) const;
  bool translate_other(const EventView& view, Event& event) const;

  const TraceDefinitions& from_;
  const Indices& index_;
  const Definitions& definitions_;
  std::uint64_t resolution_;  ///< ticks in a second
};

}  // namespace tracer::otf2
