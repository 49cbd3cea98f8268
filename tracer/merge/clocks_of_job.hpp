// SPDX-License-Identifier: BSD-3-Clause
// One time for the parts of a job.
//
// Processes of one kernel read one counter: their domain is its boot id, and between them nothing has to be measured.
// Only each has drawn its own line from the counter's ticks to nanoseconds; all are put on the line of the one that
// looked longest. Between domains there is what MPI_Init and MPI_Finalize measured, and the program's own messages:
// none is received before it was sent (common_time.hpp). Where neither is, the wall clock, which NTP keeps to a
// millisecond or so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/otf2/join/local_definition_writer.hpp"
#include "tracer/definitions.hpp"
#include "tracer/merge/messages_of_job.hpp"

namespace tracer {

/// A message to another rank and one back, in ticks of the recording clocks of both.
struct ClockComparison {
  std::uint32_t peer = 0;  ///< world rank
  std::uint64_t sent = 0, there = 0, back = 0, received = 0;
};

struct ClockOfPart {
  std::string domain;                                      ///< "": not recorded
  bool has_line = false;                                   ///< ticks of a counter; else its times are the domain's own
  std::uint64_t ticks0 = 0, ns0 = 0, ticks1 = 0, ns1 = 0;  ///< two readings of both
  ClockProperties clock;                                   ///< of its archive
  std::string world;                                       ///< of MPI; "" none
  std::uint32_t rank = 0;
  std::vector<ClockComparison> comparisons;  ///< with ranks of the same world
  /// Of one that is a job itself, as a share of a larger one: what putting its own clocks together has left.
  std::uint64_t own_domains = 1, own_messages = 0, own_reversed = 0, own_uncertainty = 0;
  std::uint64_t begin() const noexcept { return clock.realtime; }
  bool has_realtime() const noexcept { return clock.realtime != ClockProperties::unknown_realtime; }
};

/// By the properties TRACER::JOB::CLOCK_DOMAIN, TRACER::CLOCK::... and TRACER::MPI::CLOCK::... of its anchor.
ClockOfPart clock_of_part(const std::vector<Property>& properties, const ClockProperties& clock);

struct ClocksOfJob {
  ClockProperties clock;                                ///< of the whole
  std::vector<std::vector<otf2::ClockOffset>> offsets;  ///< by part; empty: none is needed
  std::vector<Property> properties;                     ///< what was done, for the archive
  std::size_t domains = 0;                              ///< a host in two shares counts twice
  std::uint64_t messages = 0, reversed = 0;  ///< between domains; and those that are received before they are sent
  double uncertainty = 0;                    ///< nanoseconds
};

/// A clock for each part, numbered as they come: equal in parts of one domain.
std::vector<std::uint32_t> domains_of(const std::vector<ClockOfPart>& parts);

/// A part's property as the job has it: those that are times (when the kernel began and ended the process) are moved as
/// its events are, by `line`, one of ClocksOfJob::offsets.
Property in_common_time(Property property, const std::vector<otf2::ClockOffset>& line);

/// Only parts of one clock may have no realtime.
ClocksOfJob bring_together(const std::vector<ClockOfPart>& parts, const std::vector<MessageOfJob>& messages);

}  // namespace tracer
