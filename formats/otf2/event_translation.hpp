// SPDX-License-Identifier: BSD-3-Clause
// Translates events as formats/otf2 reads them into the project's own.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/otf2/archive_definitions.hpp"
#include "formats/otf2/event_view.hpp"
#include "tracer/event.hpp"

namespace tracer::otf2 {

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
  std::uint64_t nanoseconds(std::uint64_t ticks) const {
    if (resolution_ == 1'000'000'000) return ticks;
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(Wide{ticks} * 1'000'000'000 / resolution_);
  }

  /// Fills event and attributes, what an Event has no room for first. False: it has no meaning here.
  bool translate(const EventView& view, Event& event, std::vector<EventAttribute>& attributes) const;

 private:
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
