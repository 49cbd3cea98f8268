// SPDX-License-Identifier: BSD-3-Clause
// Counters of samples, and times in which threads did not run, as metrics.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "formats/otf2/common/event_view.hpp"
#include "formats/otf2/join/joined_definitions.hpp"
#include "tracer/samples.hpp"

namespace tracer::otf2 {

struct SchedulingEvent {
  std::uint64_t time = 0;
  std::uint32_t metric = 0;
  std::uint64_t value = 0;  ///< from now on: 0 it runs, 1 it sleeps, 2 it was preempted
};

/// A location for the metrics of a process.
struct SchedulingLocation {
  LocationDef location;
  std::vector<SchedulingEvent> events;  ///< in order of time
};

class SampledMetrics {
 public:
  /// Both must stay; what is needed is added to `definitions`.
  SampledMetrics(const samples::SampleSet& set, JoinedDefinitions& definitions)
      : set_(set), definitions_(definitions) {}

  /// Makes a Metric of a sample's counters; false: none is known. `event` has the values until the next call. Of each
  /// location, by its index, in order of time.
  bool fill(std::size_t location, std::size_t sample, EventView& event);
  /// After the last event: of the pauses of the trace's threads, those of each process. `to`: for their definitions.
  std::vector<SchedulingLocation> scheduling(const TraceDefinitions& from, JoinedDefinitions& to);
  /// Until the next call.
  EventView view_of(const SchedulingEvent& event);

 private:
  std::uint32_t member(std::size_t counter);
  std::uint32_t metric_class(std::vector<std::uint64_t> members, std::uint8_t occurrence);

  const samples::SampleSet& set_;
  JoinedDefinitions& definitions_;
  std::map<std::size_t, std::uint32_t> members_;                 ///< by counter
  std::map<std::vector<std::uint64_t>, std::uint32_t> classes_;  ///< by members
  std::map<std::size_t, std::vector<std::uint64_t>> last_;       ///< by location: of each counter
  std::vector<std::uint64_t> values_;
  std::vector<std::uint8_t> types_;
};

}  // namespace tracer::otf2
