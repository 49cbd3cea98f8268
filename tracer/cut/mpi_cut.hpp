// SPDX-License-Identifier: BSD-3-Clause
// Where a trace is cut, the ends of messages and the members of collective operations stay together: what lies across
// the cut is left out on all sides. They belong together by their order alone.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "tracer/event.hpp"
#include "tracer/replay/mpi_world.hpp"

namespace tracer::report {

class MpiCut {
 public:
  explicit MpiCut(const Definitions& definitions) : world_{definitions} {}
  /// An event before the cut.
  void before(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// The cut: no more calls of before().
  void begin();
  /// Whether a collective operation that the location begins now may be one that others did before the cut: only its
  /// end says. An end, too, that after() leaves out.
  bool is_behind(LocationRef location) const;
  /// After it: the event, or what stands for it; none: the other end lies before the cut.
  std::optional<Event> after(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);

 private:
  using Channel = std::array<std::uint32_t, 4>;  ///< communicator, sender, receiver, tag
  struct Members {
    std::map<std::uint32_t, std::uint64_t> done;  ///< operations, by rank
    std::uint64_t most = 0;
  };
  std::optional<Channel> channel_of(LocationRef location, const Event& event, bool is_send) const;
  Members& members_of(const Event& event) {
    return collectives_[{event.ref, event.type == EventType::mpi_collective_complete}];
  }

  MpiWorld world_;
  /// Whether the request is known that the event ends or asks for; requests that begin are, from then on.
  bool follow_request(LocationRef location, const Event& event, std::span<const EventAttribute> attributes,
                      bool is_before);

  /// Requests that the part has, by process: begun in it, or told at its begin (OpenState).
  std::set<std::pair<std::uint32_t, std::uint64_t>> requests_;
  std::map<Channel, std::int64_t> ahead_;                    ///< messages sent less those received
  std::map<std::pair<CommRef, bool>, Members> collectives_;  ///< of a communicator; true: non-blocking ones
  std::map<std::uint32_t, std::uint64_t> behind_;            ///< blocking ones that others did before, by rank
};

}  // namespace tracer::report
