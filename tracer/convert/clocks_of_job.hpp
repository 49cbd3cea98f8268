// SPDX-License-Identifier: BSD-3-Clause
// One time for the parts of a job.
//
// Processes of one kernel read one counter: their domain is its boot id, and between them nothing has to be measured.
// Only each has drawn its own line from the counter's ticks to nanoseconds; all are put on the line of the one that
// looked longest. Between domains there is the wall clock, which NTP keeps to a millisecond or so, and messages: none
// is received before it was sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/otf2/local_definition_writer.hpp"
#include "tracer/definitions.hpp"

namespace tracer {

struct ClockOfPart {
  std::string domain;                                      ///< "" not told
  bool has_line = false;                                   ///< ticks of a counter; else its times are the domain's own
  std::uint64_t ticks0 = 0, ns0 = 0, ticks1 = 0, ns1 = 0;  ///< two readings of both
  ClockProperties clock;                                   ///< of its archive
  std::uint64_t begin() const noexcept { return clock.realtime; }
};

/// By the properties TRACER::JOB::CLOCK_DOMAIN and TRACER::CLOCK::LINE of its anchor.
ClockOfPart clock_of_part(const std::vector<Property>& properties, const ClockProperties& clock);

struct ClocksOfJob {
  ClockProperties clock;                                ///< of the whole
  std::vector<std::vector<otf2::ClockOffset>> offsets;  ///< by part; empty: none is needed
  std::vector<Property> properties;                     ///< what was done, for the archive
};

/// A message between two domains, both times as the domains have them after bring_together() without messages.
struct MessageBound {
  std::size_t from = 0, to = 0;  ///< parts
  std::int64_t sent = 0, received = 0;
};

ClocksOfJob bring_together(const std::vector<ClockOfPart>& parts);

}  // namespace tracer
