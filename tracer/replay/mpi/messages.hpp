// SPDX-License-Identifier: BSD-3-Clause
// Finds the two ends of each message while a trace is replayed, and who waited for whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tracer/replay/mpi/open_messages.hpp"
#include "tracer/replay/mpi/receive_order.hpp"
#include "tracer/replay/mpi/waits.hpp"
#include "tracer/replay/mpi/world.hpp"
#include "tracer/replay/replay.hpp"

namespace tracer::report {

/// A call that had to wait. Ranks are those of MpiWorld, times the trace's.
struct MpiWaited {
  MpiWait kind = MpiWait::late_sender;
  std::uint32_t rank = 0, cause_rank = 0;
  RegionRef region = undefined_ref, cause = undefined_ref;  ///< of the calls of both sides
  std::uint64_t from = 0, ns = 0;
};

/// A rank's call, as what others did is held against it.
struct MpiCall {
  std::uint32_t rank = undefined_ref;
  RegionRef region = undefined_ref;
  std::uint64_t enter = 0, leave = 0;
};
inline constexpr std::uint64_t mpi_clock_error = 10'000;  ///< ns, that clocks of two hosts may differ by

/// What a late receiver counts against a late sender of the same call. A receive cannot be over before its message is
/// sent; whether a send was, because MPI buffered it, the trace does not show. Programs that exchange messages send
/// first and post their receives shortly after.
constexpr std::uint64_t certain_part(std::uint64_t late_receiver) {
  constexpr std::uint64_t one_in = 20;
  return late_receiver - std::min(late_receiver, std::max(late_receiver / one_in, mpi_clock_error));
}

/// What one rank did in a collective operation.
struct MpiPart {
  std::uint32_t rank = 0;
  RegionRef region = undefined_ref;       ///< by which it came
  std::uint64_t arrival = 0;              ///< when that call began
  RegionRef wait_region = undefined_ref;  ///< in which it was over: the same, or MPI_Wait
  std::uint64_t wait_from = 0, wait_to = 0;
};
/// Whether all were in it at a time.
inline bool are_together(const std::vector<MpiPart>& parts) {
  std::uint64_t latest = 0;
  for (const MpiPart& part : parts) latest = std::max(latest, part.arrival);
  return std::all_of(parts.begin(), parts.end(),
                     [&](const MpiPart& part) { return latest <= part.wait_to + mpi_clock_error; });
}
/// Who has to have come before who goes on: all before all, all before the root, the root before all, and in a scan for
/// each those before it.
enum class MpiShape : std::uint8_t { none, barrier, all_to_all, all_to_one, one_to_all, scan };
/// A collective operation of all that take part in it and left a trace.
struct MpiMeeting {
  MpiShape shape = MpiShape::none;
  std::size_t root = 0;               ///< in `parts`; their number: none
  const std::vector<MpiPart>& parts;  ///< of a scan in the communicator's order
};

/// Called in the order of the trace.
class MpiSink {
 public:
  virtual ~MpiSink() = default;
  virtual void sent(std::uint32_t /*from*/, std::uint32_t /*to, undefined_ref: unknown*/, RegionRef,
                    std::uint64_t /*bytes*/) {}
  virtual void received(std::uint32_t /*rank*/, RegionRef, std::uint64_t /*bytes*/) {}
  /// An operation on a window.
  virtual void one_sided(std::uint32_t /*rank*/, RegionRef, std::uint64_t /*sent*/, std::uint64_t /*received*/) {}
  /// One end, when it comes; of the message's other end there may be nothing yet.
  virtual void end(const MpiMessage&, bool /*is_send*/) {}
  /// One end, of whose other end nothing can come: events of that rank are not there.
  virtual void lone_end(const MpiMessage&, bool /*is_send*/) {}
  /// Both ends, when they are over. At the end of the trace, those too whose send is not over: the program had not
  /// waited for it.
  virtual void message(const MpiMessage&) {}
  virtual void collective(std::uint32_t /*rank*/, RegionRef, std::uint64_t /*sent*/, std::uint64_t /*received*/) {}
  /// When all have come and gone.
  virtual void meeting(const MpiMeeting&) {}
  /// Once for a call, whatever the number of its messages.
  virtual void waited(const MpiWaited&) {}
};

/// `mine` went on when `other` was called; reports nothing where that was no wait.
void report_wait(MpiSink& sink, MpiWait kind, const MpiCall& mine, const MpiCall& other);

/// MPI_Probe and MPI_Mprobe.
bool is_blocking_probe(const Region& region);

/// The innermost call of MPI that is open on a location; nullptr: none.
const Frame* mpi_call(const Replay& replay, LocationRef location);

/// Keeps what is under way (OpenMessages): as much as MPI itself has under way, and no more than its bound.
class MpiMessages final : public Observer {
 public:
  MpiMessages(const Definitions& definitions, const Replay& replay, MpiSink& sink);
  bool is_concerned() const override { return world_.ranks() != 0; }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void finished(std::uint64_t time) override;

  std::uint64_t matched() const { return matched_; }
  /// Sends and receives whose other end is unknown.
  std::uint64_t unmatched() const { return unmatched_ + given_up_; }
  /// Of these, since more than most_open() messages lacked an end, or were not over, at a time.
  std::uint64_t given_up() const { return given_up_; }
  std::size_t most_open() const { return open_.most(); }
  std::uint64_t reversed() const { return reversed_; }  ///< received before they were sent
  std::uint64_t unheard() const { return unheard_; }    ///< sent, and never received, up to the end of the trace
  const MpiEnd& first_unheard() const { return first_unheard_; }

 private:
  using Key = OpenMessages::Key;
  using Slot = OpenMessages::Slot;
  using Side = OpenMessages::Side;
  static constexpr Side send = OpenMessages::send, receive = OpenMessages::receive;
  static constexpr std::uint32_t none = OpenMessages::none;
  struct Call {
    RegionRef region = undefined_ref;
    std::uint64_t enter = 0, leave = 0;
    bool open = true;
    std::uint32_t pending = 0;        ///< its messages that are not looked at
    std::vector<std::uint32_t> ends;  ///< message * 2 + side
    MpiWaited waited;                 ///< the longest
  };
  struct RequestKey {
    std::uint32_t rank;
    std::uint64_t request;
    bool operator==(const RequestKey&) const = default;
  };
  struct RequestHash {
    std::size_t operator()(const RequestKey& key) const noexcept {
      return key.request * 0x9e3779b97f4a7c15u ^ std::size_t{key.rank} << 40;
    }
  };
  /// A send, whose message may be given up before it is over.
  struct Begun {
    std::uint32_t slot;
    std::uint64_t use;  ///< of the slot
  };
  /// Where a receive stands in its rank's order, and what has found its message.
  struct Posted {
    PostedAt at;
    MpiProbe probe;
  };
  struct Post {
    RegionRef region = undefined_ref;
    std::uint64_t start = 0;
    Posted posted;
  };
  /// A function that has to do with a message that was found.
  enum class Finds : std::uint8_t { nothing, probe, mprobe, improbe, receives_found };

  void one_sided(LocationRef location, std::uint64_t sent, std::uint64_t received);
  void message(LocationRef location, const Event& event, Side side, std::uint64_t request);
  std::uint32_t slot_for(const Key& key, Side side, bool is_held);
  void let_go(std::uint32_t slot);
  void tell_lone(const Event& event, Side side, const MpiEnd& end);
  Finds finds(RegionRef region) const { return region < finds_.size() ? finds_[region] : Finds::nothing; }
  Posted post(LocationRef location, std::uint32_t me, RegionRef region, std::uint64_t enter, bool blocks);
  Posted posted(LocationRef location, std::uint32_t me, std::uint64_t request, MpiEnd& end);
  void pair(std::uint32_t receive);
  void join(std::uint32_t sent, std::uint32_t received);
  void pair_ready(std::uint32_t rank);
  void attach(LocationRef location, std::uint32_t slot, Side side, std::uint64_t time);
  void over(std::uint32_t slot, Side side, RegionRef region, std::uint64_t from, std::uint64_t to);
  void look_at(std::uint32_t slot);
  void consider(std::uint32_t call, MpiWait kind, std::uint64_t ns, const MpiEnd& mine, const MpiEnd& other);
  void report_if_complete(std::uint32_t call);
  std::uint32_t take_begun(const RequestKey& key);
  void cancel(std::uint32_t slot);
  void end_what_is_open();
  std::uint32_t open_call(LocationRef location) const;

  const Replay& replay_;
  MpiSink& sink_;
  MpiWorld world_;
  OpenMessages open_;
  std::vector<Call> calls_;
  std::vector<std::uint32_t> free_calls_;
  std::vector<std::vector<std::uint32_t>> open_calls_;        ///< by location
  std::unordered_map<RequestKey, Begun, RequestHash> sends_;  ///< by request
  std::unordered_map<RequestKey, Post, RequestHash> posts_;   ///< receives that are requested
  ReceiveOrder order_;
  std::vector<Finds> finds_;               ///< by region
  std::vector<std::uint64_t> probed_;      ///< by location: when its last MPI_Mprobe or MPI_Improbe began
  std::vector<std::deque<Posted>> found_;  ///< by MPI_Mprobe, and not received yet, likewise
  std::vector<MpiProbe> probe_;            ///< the last MPI_Probe, if no receive has begun since, likewise
  std::uint64_t matched_ = 0, unmatched_ = 0, given_up_ = 0, reversed_ = 0, unheard_ = 0;
  MpiEnd first_unheard_;
};

}  // namespace tracer::report
