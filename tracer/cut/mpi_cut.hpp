// SPDX-License-Identifier: BSD-3-Clause
// Where a trace is cut, the ends of messages and the members of collective operations stay together: what lies across
// the cut is left out on all sides. They belong together by their order alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/cut/one_sided_cut.hpp"
#include "tracer/event.hpp"
#include "tracer/replay/mpi/world.hpp"

namespace tracer::report {

class MpiCut {
 public:
  explicit MpiCut(const Definitions& definitions);
  /// An event before the cut.
  void before(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// The cut: no more calls of before().
  void begin();
  /// What before() has made of the events so far.
  void keep(std::string& out) const;
  /// That again, of the processes that have a location that is `wanted` (empty: of all): refuses what cannot be.
  void take(BytesIn& in, const std::vector<bool>& wanted);
  /// Nothing came from a location that is of no rank: each process has what is its own.
  bool is_by_process() const;
  /// Whether it is open which receives are for messages that were sent before the cut. MPI gives messages of one
  /// channel to receives in the order in which these were posted, and their ends come in another: look_ahead() is to be
  /// called with each event behind the cut, before any of them is given to after(), until this is false or decide() is
  /// called.
  bool is_undecided() const { return is_undecided_; }
  void look_ahead(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  void decide();
  /// Whether the event begins a collective operation that may be one that others did before the cut: only its end shows
  /// that. An end, too, that after() leaves out.
  bool is_behind(LocationRef location, const Event& event) const;
  /// After it: the event, or what stands for it; none: the other end lies before the cut.
  std::optional<Event> after(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);

 private:
  using Channel = std::array<std::uint32_t, 4>;  ///< communicator, sender, receiver, tag
  struct Members {
    std::map<std::uint32_t, std::uint64_t> done;  ///< operations, by rank
    std::uint64_t most = 0;
  };
  /// A rank's receives.
  struct Receiver {
    std::uint64_t posted = 0;                     ///< how many
    std::map<std::uint64_t, std::uint64_t> open;  ///< by their requests: the number of each
    std::uint64_t seen = 0, seen_after = 0;       ///< ends behind the cut, by look_ahead() and by after()
    std::set<std::uint64_t> dropped;              ///< those of them whose messages were sent before
  };
  struct End {
    std::uint64_t number = 0, index = 0;  ///< of the receive, and of its end behind the cut
    bool operator<(const End& other) const { return number < other.number; }
  };
  /// The number of the receive that the event ends; 0: it ends none.
  std::uint64_t follow_receive(Receiver& receiver, const Event& event, std::span<const EventAttribute> attributes);
  bool is_settled(const Channel& channel, std::int64_t ahead) const;
  std::optional<Channel> channel_of(LocationRef location, const Event& event, bool is_send) const;
  enum class Kind : std::uint8_t { blocking, non_blocking, on_window };
  using Collectives = std::pair<std::uint32_t, Kind>;  ///< of a communicator, or of a window
  static Collectives collectives_of(const Event& event);
  std::vector<std::uint32_t> all_members(const Collectives& which) const;

  MpiWorld world_;
  /// Whether the part has the request that the event ends or tests; requests that begin are, from then on.
  bool follow_request(LocationRef location, const Event& event, std::span<const EventAttribute> attributes,
                      bool is_before);

  /// Requests that the part has, by process: begun in it, or written at its begin (OpenState).
  std::set<std::pair<std::uint32_t, std::uint64_t>> requests_;
  std::map<Channel, std::int64_t> ahead_;                 ///< messages sent less those received
  std::map<std::uint32_t, Receiver> receivers_;           ///< by rank
  std::map<Channel, std::vector<End>> ends_;              ///< behind the cut, of channels with messages sent before
  std::map<std::uint32_t, std::set<Channel>> unsettled_;  ///< of these, by receiver
  bool is_undecided_ = false;
  std::map<Collectives, Members> collectives_;
  std::map<std::pair<std::uint32_t, Kind>, std::uint64_t> behind_;  ///< those that others did before, by rank
  std::vector<CommRef> comm_of_window_;
  OneSidedCut one_sided_;
};

}  // namespace tracer::report
