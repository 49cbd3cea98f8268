// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a job beside each other: what a call of MPI waited for in another rank it waits for again, in simulated
// time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"

namespace tracer::report {

/// Of each rank its calls on its first thread, outside of parallel regions, and what each of them waited for: a receive
/// for the call that sends, a send that had to wait for the call that receives, collective operations for whoever has
/// to come first. A call is over when those have begun, and what it took beside is past. Of windows, of calls on other
/// threads and of operations among neighbours the waiting stays as recorded.
class RankModel final : public MpiSink {
 public:
  /// `scenarios`: how many times the job is simulated.
  RankModel(const Definitions& definitions, std::size_t scenarios);
  /// Whether ranks can wait for each other.
  bool any() const { return ranks_.size() > 1; }
  const MpiWorld& world() const { return world_; }

  /// Of a call outside of parallel regions; those of other threads than a rank's first are not looked at.
  void enter(LocationRef location, std::uint64_t time);
  void leave(LocationRef location, std::uint64_t time);
  /// What the rank began at `begin` takes so much longer (or less) than recorded, by scenario.
  void region(std::uint32_t rank, std::uint64_t begin, std::span<const std::int64_t> longer);

  void message(const MpiMessage& message) override;
  void meeting(const MpiMeeting& meeting) override;

  /// By rank: ns by which it ends later than recorded.
  std::vector<std::int64_t> delays(std::size_t scenario);

 private:
  struct Call {
    std::uint64_t enter = 0, leave = 0;
  };
  struct Place {
    std::uint32_t rank = 0, call = 0;
  };
  /// `call` of a rank waits until `other` has begun.
  struct Wait {
    std::uint32_t call = 0;
    Place other;
  };
  /// A rank's call is one of those that have to begin, or waits until they all have.
  struct InGathering {
    std::uint32_t call = 0, gathering = 0;
    bool comes = false, waits = false;
  };
  struct Rank {
    LocationRef thread = undefined_ref;  ///< its first
    unsigned depth = 0;                  ///< of open calls
    bool is_kept = false;                ///< the open one
    std::vector<Call> calls;
    std::vector<std::int64_t> longer;  ///< by call and scenario: of all regions before it
    std::vector<std::int64_t> so_far;  ///< by scenario: of all
    std::vector<Wait> waits;
    std::vector<InGathering> gatherings;
  };
  class Simulation;
  static constexpr std::size_t most_calls = 4 << 20;  ///< of all ranks; what comes then waits as recorded
  static constexpr std::uint32_t none = 0xffffffff;

  Rank* rank_of_first_thread(LocationRef location);  ///< nullptr: it is another thread
  std::uint32_t call_at(std::uint32_t rank, std::uint64_t enter) const;
  void waits_for(std::uint32_t rank, std::uint64_t wait_from, std::uint32_t other, std::uint64_t arrival);

  const std::size_t scenarios_;
  MpiWorld world_;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> gatherings_;  ///< how many come to each
  std::size_t count_ = 0;
};

}  // namespace tracer::report
