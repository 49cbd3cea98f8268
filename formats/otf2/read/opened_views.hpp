// SPDX-License-Identifier: BSD-3-Clause
// An archive's events as it has them, from the middle on, and what is open there as such events.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "formats/otf2/read/archive_definitions.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/event_translation.hpp"
#include "formats/otf2/read/reader.hpp"
#include "tracer/event.hpp"

namespace tracer::otf2 {

/// An event with what its view refers to.
struct OwnedView {
  EventView view;  ///< without its spans
  std::vector<AttributeView> attributes;
};

/// Of one archive, which must be there as long.
class OpenedViews {
 public:
  explicit OpenedViews(const Trace& trace);

  /// The archive's event for one that opens something, as the project has it, but for time and position; none where
  /// there is no such kind.
  std::optional<OwnedView> view_of(LocationRef location, const Event& event,
                                   std::span<const EventAttribute> attributes) const;
  /// Readers from these places on, by location in the order of the definitions: for Trace::for_each_event_of().
  std::vector<std::optional<EventReader>> readers(std::span<const ResumePlace> places) const;

 private:
  bool fill(const Event& event, EventView& view) const;

  const Trace& trace_;
  Indices index_;
  Definitions definitions_;
  EventTranslation translation_;
};

}  // namespace tracer::otf2
