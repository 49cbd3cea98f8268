// SPDX-License-Identifier: BSD-3-Clause
// See read_back.hpp.
#include "formats/otf2/read/read_back.hpp"

#include <array>
#include <string>
#include <vector>

#include "tracer/error.hpp"

namespace tracer::otf2 {

ReadBack::ReadBack(const std::filesystem::path& directory) : trace_{Trace::open(directory / "traces.otf2")} {}

void ReadBack::events_of(std::size_t location) const {
  const LocationDef& of = trace_.definitions().locations[location];
  EventReader reader = trace_.events(of.ref);
  std::array<PlainEvent, 512> plain;
  std::vector<AttributeView> attributes;
  EventView view;
  do {
    while (reader.next_plain(plain, attributes) != 0) attributes.clear();
  } while (reader.next(view));
  if (reader.count() != of.events)
    throw Error(trace_.info().event_file(of.ref).string() + " is damaged: it has " + std::to_string(reader.count()) +
                " events, where the definitions announce " + std::to_string(of.events));
}

void ReadBack::begin_of(std::size_t location) const {
  const LocationDef& of = trace_.definitions().locations[location];
  EventView view;
  trace_.events(of.ref).next(view);
}

}  // namespace tracer::otf2
