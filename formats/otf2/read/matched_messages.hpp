// SPDX-License-Identifier: BSD-3-Clause
// Receives of messages that a probe matched (MPI_Mrecv, MPI_Imrecv). OTF2 3.2 has records of their own for them, which
// name the message, or the request, by a number that another record of the process explains.
#pragma once

#include <cstdint>
#include <mutex>

#include "formats/otf2/common/event_view.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

class Trace;

/// Of one archive. Several threads may use it at once.
class MatchedMessages {
 public:
  /// Makes such a record the one of older archives: MpiRecv, MpiIrecvRequest, MpiIrecv. The first of a process reads
  /// the events of all its threads. What no probe explains stays as it is.
  void complete(const Trace& trace, EventView& view);

 private:
  struct Message {
    std::uint64_t sender = 0, comm = 0, tag = 0;
  };
  using Messages = NumberMap<Message>;
  struct Process {
    Messages by_message, by_request;
  };
  const Process& process_of(const Trace& trace, std::uint64_t location);
  static void read(const Trace& trace, std::uint64_t group, Process& process);

  std::mutex mutex_;
  NumberMap<Process> processes_;  ///< by location group
};

}  // namespace tracer::otf2
