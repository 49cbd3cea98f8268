// SPDX-License-Identifier: BSD-3-Clause
// A small trace with one of everything, valid by all rules, to be written, read, checked and broken.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tracer/event_sink.hpp"

namespace tracer::test {

struct LocationEvents {
  std::vector<Event> events;
  std::vector<EventAttribute> attributes;
};

struct SampleTrace {
  Definitions definitions;
  std::vector<LocationEvents> locations;
};

/// Two threads: a parallel region with a critical section, a lock, a barrier, a loop and a task;
/// one device with a stream: an allocation, a transfer, a kernel and the memory in use.
SampleTrace make_sample();

/// A trace of `threads` locations with `regions` Enter/Leave pairs each.
SampleTrace make_large(std::size_t threads, std::size_t regions);

void write(const SampleTrace& trace, EventSink& sink);
void write_archive(const SampleTrace& trace, const std::filesystem::path& directory);

}  // namespace tracer::test
