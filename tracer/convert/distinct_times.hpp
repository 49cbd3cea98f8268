// SPDX-License-Identifier: BSD-3-Clause
// For readers that sort events by their time and by nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include "tracer/event_source.hpp"

namespace tracer {

/// The same trace with a clock of 1/64 ns from its begin on, by which no two events have one time: what came in one
/// nanosecond is in it one after the other, in the order of `source`. More than 64 such events continue into the next
/// nanosecond. Four years have room: for more read() throws tracer::Error. Lives no longer than `source`.
class DistinctTimes final : public SourceOver {
 public:
  explicit DistinctTimes(EventSource& source);
  void read(EventVisitor& visitor) override;
  void want(const std::vector<bool>& locations) override { source_.want(locations); }
};

}  // namespace tracer
