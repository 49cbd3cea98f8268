// SPDX-License-Identifier: BSD-3-Clause
// Where reports and exports get a finished trace from: the mirror image of EventSink.
#pragma once

#include <span>
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
  /// Events of one location between which no other location has any. `attributes` are theirs one after the other, as
  /// many for each as it says; valid during the call. Whoever does not care for the difference has them one by one.
  virtual void events(LocationRef location, std::span<const Event> events, std::span<const EventAttribute> attributes) {
    for (const Event& one : events) {
      event(location, one, attributes.first(one.attributes));
      attributes = attributes.subspan(one.attributes);
    }
  }
};

/// A finished trace. May be read more than once; not to be shared between threads.
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual const Definitions& definitions() const = 0;
  /// How many events there are, 0 unknown: for progress.
  virtual std::uint64_t number_of_events() const = 0;
  /// All locations' events in order of time; at equal times each location keeps its order. Memory
  /// does not grow with the trace. Throws tracer::Error on damaged input.
  virtual void read(EventVisitor& visitor) = 0;
  /// Only these locations' events, by LocationRef, are wanted from now on; a source may tell the others' all the same.
  virtual void want(const std::vector<bool>& locations) { (void)locations; }
};

}  // namespace tracer
