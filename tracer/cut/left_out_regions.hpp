// SPDX-License-Identifier: BSD-3-Clause
// Takes regions out of the events of all locations, with their parameters, on the way to a reader.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tracer/event_source.hpp"
#include "tracer/left_out.hpp"

namespace tracer::report {

class LeftOutRegions {
 public:
  /// `to` outlives it.
  LeftOutRegions(std::size_t locations, EventVisitor& to) : of_(locations), to_{&to} {}

  /// As LeftOutEvents::pass(); all of a location that is not defined is kept.
  template <class IsLeftOut>
  void pass(LocationRef location, const Event& event, std::span<const EventAttribute> attributes,
            const IsLeftOut& is_left_out) {
    if (location >= of_.size()) return to_->event(location, event, attributes);
    of_[location].pass(event, attributes, is_left_out, Passed{to_, location});
  }
  /// There are no more events.
  void finish() {
    for (std::size_t location = 0; location < of_.size(); ++location)
      of_[location].finish(Passed{to_, static_cast<LocationRef>(location)});
  }

 private:
  struct Passed {
    EventVisitor* to;
    LocationRef location;
    void operator()(const Event& event, std::span<const EventAttribute> attributes) const {
      to->event(location, event, attributes);
    }
  };
  std::vector<LeftOutEvents> of_;  ///< by location
  EventVisitor* to_;
};

}  // namespace tracer::report
