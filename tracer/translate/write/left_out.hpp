// SPDX-License-Identifier: BSD-3-Clause
// Takes regions that a filter leaves out from a location's events, with their parameters.
#pragma once

#include <cstdint>
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
  LocationWriter& next_;
  LeftOutEvents left_out_;
  std::vector<Event> events_;
  std::vector<EventAttribute> attributes_;
  std::uint64_t dropped_ = 0;
};

}  // namespace tracer::translate
