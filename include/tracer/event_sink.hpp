// SPDX-License-Identifier: BSD-3-Clause
// What a format must do to receive a translated trace.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/event.hpp"

namespace tracer {

/// Receives one location's events, in order of time. Used by one thread at a time; destroyed when
/// the location is complete.
class LocationWriter {
 public:
  virtual ~LocationWriter() = default;
  /// `attributes` are consumed in order by the events that have some. Throws tracer::Error when
  /// the events cannot be kept (disk full); the writer must then not be used again.
  virtual void write(std::span<const Event> events, std::span<const EventAttribute> attributes) = 0;
  /// As write(); what is in the vectors then is the writer's and may be anything.
  virtual void take(std::vector<Event>& events, std::vector<EventAttribute>& attributes) { write(events, attributes); }
  /// Closes the location: no further write.
  virtual void close() = 0;
};

class EventSink {
 public:
  virtual ~EventSink() = default;
  /// Before the first open: attributes, parameters and metrics of `definitions` are final by then;
  /// finish() must be given the same.
  virtual void prepare(const Definitions& definitions) { (void)definitions; }
  /// Called for every location, also those without events; by several threads at once.
  virtual std::unique_ptr<LocationWriter> open(LocationRef location) = 0;
  /// After the last location is closed: the definitions, and the end of the archive.
  virtual void finish(const Definitions& definitions) = 0;
};

}  // namespace tracer
