// SPDX-License-Identifier: BSD-3-Clause
// Takes regions that a filter leaves out from a location's events, with their parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tracer/event_sink.hpp"
#include "tracer/left_out.hpp"

namespace tracer::translate {

/// Drops what goes with left_out_region.
class LeftOut final : public LocationWriter {
 public:
  explicit LeftOut(LocationWriter& next) : next_(next) {}
  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  void close() override { next_.close(); }
  /// There are no more events: writes what waited for one.
  void finish();
  std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  struct Kept {
    std::vector<Event> events;
    std::vector<EventAttribute> attributes;
    void operator()(const Event& event, std::span<const EventAttribute> its) {
      events.push_back(event);
      attributes.insert(attributes.end(), its.begin(), its.end());
    }
  };
  /// Of so many events that were given: what was held before is among the kept ones.
  void write_kept(std::size_t given);

  LocationWriter& next_;
  LeftOutEvents left_out_;
  Kept kept_;
  std::uint64_t dropped_ = 0;
};

}  // namespace tracer::translate
