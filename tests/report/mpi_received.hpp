// SPDX-License-Identifier: BSD-3-Clause
// Receives of MPI: the waits for them in a trace, and the messages that a timeline makes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/report/mpi_traces.hpp"
#include "tracer/event_source.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"

namespace tracer::test {

using Received = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

/// The bytes of each message that the timeline gets, with the time at which it is received, in ms since `start`.
inline Received received(EventSource& trace, std::uint64_t start) {
  struct Messages final : TimelineVisitor {
    explicit Messages(std::uint64_t begin) : start{begin} {}
    void message(const Message& message) override { all.emplace_back(message.bytes, (message.to_time - start) / ms); }
    std::uint64_t start;
    Received all;
  } messages{start};
  report::Replay replay{trace.definitions()};
  report::TimelineMessages observed{trace.definitions(), replay, messages};
  replay.add(observed.observer());
  trace.read(replay);
  replay.finish();
  std::sort(messages.all.begin(), messages.all.end());
  return messages.all;
}

/// MPI_Wait of rank 1 for a receive of that many bytes from rank 0.
inline void wait_for(MpiJob& job, std::uint64_t time, std::uint64_t bytes, std::uint64_t request) {
  const RegionRef wait = job.function("MPI_Wait", 50);
  job.trace.enter(1, time, wait);
  job.irecv_is_over(1, time, 0, bytes, request);
  job.trace.leave(1, time, wait);
}

}  // namespace tracer::test
