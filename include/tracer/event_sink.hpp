// SPDX-License-Identifier: BSD-3-Clause
// The interface by which a format receives a translated trace.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer {

/// Receives one location's events, in order of time. One thread at a time; destroyed when
/// the location is complete.
class LocationWriter {
 public:
  virtual ~LocationWriter() = default;
  /// The events take their `attributes` in order. Throws tracer::Error if it cannot store the events
  /// (disk full); do not use the writer after that.
  virtual void write(std::span<const Event> events, std::span<const EventAttribute> attributes) = 0;
  /// As write(); takes the contents of the vectors, which are then unspecified.
  virtual void take(std::vector<Event>& events, std::vector<EventAttribute>& attributes) { write(events, attributes); }
  /// Closes the location: no further write.
  virtual void close() = 0;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Before the first open: attributes, parameters and metrics of `definitions` are final by then;
  /// pass the same to finish().
  virtual void prepare(const Definitions& definitions) { (void)definitions; }
  /// For every location, also those without events; from several threads at once.
  virtual std::unique_ptr<LocationWriter> open(LocationRef location) = 0;
  /// After the last location is closed: writes the definitions and closes the archive.
  virtual void finish(const Definitions& definitions) = 0;
};

}  // namespace tracer
