// SPDX-License-Identifier: BSD-3-Clause
// Takes regions that a filter leaves out from a location's events, with their parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/event_sink.hpp"

namespace tracer::translate {

/// Drops Enter and Leave of left_out_region, and the parameters that follow such an Enter.
class LeftOut final : public LocationWriter {
 public:
  explicit LeftOut(LocationWriter& next) : next_(next) {}
  void write(std::span<const Event> events, std::span<const EventAttribute> attributes) override;
  void close() override { next_.close(); }
  std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  LocationWriter& next_;
  std::vector<Event> events_;
  std::vector<EventAttribute> attributes_;
  std::uint64_t dropped_ = 0;
  bool silent_ = false;  ///< the last Enter or Leave was left out
};

}  // namespace tracer::translate
