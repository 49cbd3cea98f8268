// SPDX-License-Identifier: BSD-3-Clause
// The interface by which reports and exports read a finished trace: the counterpart of EventSink.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer {

/// Receives a trace's events.
class EventVisitor {
 public:
  virtual ~EventVisitor() = default;
  /// `attributes` are this event's, valid during the call.
  virtual void event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) = 0;
  /// Events of one location without events of other locations in between. `attributes` are those of all events, in
  /// order; valid during the call. By default calls event() for each.
  virtual void events(LocationRef location, std::span<const Event> events, std::span<const EventAttribute> attributes) {
    for (const Event& one : events) {
      event(location, one, attributes.first(one.attributes));
      attributes = attributes.subspan(one.attributes);
    }
  }
};

/// What lists of kinds call the records that EventSource::unread() counts.
inline constexpr const char* unread_kind = "event of a later version of OTF2";

/// A finished trace, which may be read more than once. Not thread-safe.
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual const Definitions& definitions() const = 0;
  /// For progress; 0: unknown.
  virtual std::uint64_t number_of_events() const = 0;
  /// Delivers all locations' events in order of time; at equal times each location keeps its order. Memory
  /// does not grow with the trace. Throws tracer::Error on damaged input.
  virtual void read(EventVisitor& visitor) = 0;
  /// Restricts read() to these locations, by LocationRef; a source may still deliver the others' events.
  virtual void want(const std::vector<bool>& locations) { (void)locations; }
  /// Restricts what unsupported() counts of events to those of these times, on the trace's clock: where read() begins
  /// and ends need not be known for it.
  virtual void want_times(std::uint64_t /*from*/, std::uint64_t /*to*/) {}
  /// How many records the last read() left out, since a later version of their format has defined them; 0: of a part
  /// of the trace's time, of which that is not known.
  virtual std::uint64_t unread() const { return 0; }
  /// Those of kinds that there is no event for here, by the name of the kind in the trace's format; likewise.
  virtual std::map<std::string, std::uint64_t> untranslated() const { return {}; }
  /// What of the trace definitions and events here cannot express, by the name of its kind in the trace's format: how
  /// many records, of events those that the last read() came upon.
  virtual std::map<std::string, std::uint64_t> unsupported() const { return {}; }
};

/// Of the last read(): unread() and untranslated() together.
inline std::map<std::string, std::uint64_t> kinds_not_shown(const EventSource& source) {
  std::map<std::string, std::uint64_t> kinds = source.untranslated();
  if (source.unread() != 0) kinds[unread_kind] = source.unread();
  return kinds;
}

/// What is seen of another source, with definitions of its own. Lives no longer than that.
class SourceOver : public EventSource {
 public:
  const Definitions& definitions() const override { return definitions_; }
  std::uint64_t number_of_events() const override { return source_.number_of_events(); }
  std::uint64_t unread() const override { return source_.unread(); }
  std::map<std::string, std::uint64_t> untranslated() const override { return source_.untranslated(); }
  std::map<std::string, std::uint64_t> unsupported() const override { return source_.unsupported(); }

 protected:
  explicit SourceOver(EventSource& source) : source_{source}, definitions_{source.definitions()} {}

  EventSource& source_;
  Definitions definitions_;
};

}  // namespace tracer
