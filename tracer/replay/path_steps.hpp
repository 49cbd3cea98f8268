// SPDX-License-Identifier: BSD-3-Clause
// The way of a path through the locations, for pictures: steps in order of time, the last one first.
#pragma once

#include <cstdint>
#include <memory>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// A stretch of work on one location. What is before it is shared with all paths that went that way.
struct Step {
  LocationRef location = 0;
  std::uint64_t from = 0, to = 0;
  std::shared_ptr<Step> before;

  Step(LocationRef at, std::uint64_t begin, std::uint64_t end, std::shared_ptr<Step> earlier)
      : location{at}, from{begin}, to{end}, before{std::move(earlier)} {}
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  /// Step by step, since trails are longer than a stack is deep.
  ~Step() {
    while (before != nullptr && before.use_count() == 1) {
      std::shared_ptr<Step> next = std::move(before->before);
      before = std::move(next);
    }
  }
};
using Trail = std::shared_ptr<Step>;

/// `trail` goes on with work on `location`. What is nearer than `resolution` (ns) to a step of the same location
/// becomes a part of it, and a step of another that is shorter than that is forgotten: so a trail has at most as many
/// steps as its time has resolutions. With a resolution of 0 its steps are together as long as what it was made of.
inline void go_on(Trail& trail, LocationRef location, std::uint64_t from, std::uint64_t to, std::uint64_t resolution) {
  const auto leads_to = [&](const Trail& step) {
    return step != nullptr && step->location == location && step->to <= from && from - step->to <= resolution;
  };
  if (leads_to(trail)) {
    if (trail.use_count() == 1)
      trail->to = to;
    else
      trail = std::make_shared<Step>(location, trail->from, to, trail->before);
    return;
  }
  const bool forget = trail != nullptr && trail->to - trail->from < resolution;
  Trail before = forget ? trail->before : trail;
  if (forget && leads_to(before)) {
    trail = std::make_shared<Step>(location, before->from, to, before->before);
    return;
  }
  trail = std::make_shared<Step>(location, from, to, std::move(before));
}

}  // namespace tracer::report
