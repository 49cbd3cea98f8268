// SPDX-License-Identifier: BSD-3-Clause
// MPI: time by rank and call, who sent how much to whom, and who waited for whom.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// Adds up what MpiMessages, MpiCollectives and MpiWindows find and pass to it. Memory: ranks times functions,
/// and for each pair of places that waited for each other, ranks.
class Mpi final : public Observer, public MpiSink {
 public:
  Mpi(const Definitions& definitions, const Replay& replay);
  bool any() const { return world_.ranks() != 0; }
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void sent(std::uint32_t from, std::uint32_t to, RegionRef region, std::uint64_t bytes) override;
  void received(std::uint32_t rank, RegionRef region, std::uint64_t bytes) override;
  void one_sided(std::uint32_t rank, RegionRef region, std::uint64_t sent, std::uint64_t received) override {
    collective(rank, region, sent, received);
  }
  void collective(std::uint32_t rank, RegionRef region, std::uint64_t sent, std::uint64_t received) override;
  void waited(const MpiWaited& waited) override;
  void fill(Report& report) const;

  static constexpr std::uint32_t most_cells = 64;

 private:
  struct Calls {
    std::uint64_t count = 0, total = 0, longest = 0, waiting = 0, sent = 0, received = 0;
  };
  struct Wait {
    std::uint64_t ns = 0, count = 0;
    MpiWaited longest;
    std::unordered_map<std::uint32_t, std::uint64_t> by_rank, by_cause;
  };
  using WaitKey = std::tuple<MpiWait, RegionRef, RegionRef>;

  Calls* calls(std::uint32_t rank, RegionRef region);
  void fill_ranks(MpiReport& to) const;
  void fill_waits(MpiReport& to) const;

  const Definitions& definitions_;
  const Replay& replay_;
  MpiWorld world_;
  std::vector<std::string> functions_;
  std::vector<std::uint32_t> function_of_;  ///< by region
  std::vector<MpiRankRow> ranks_;
  std::vector<std::vector<Calls>> calls_;                                       ///< by rank and function
  std::vector<LocationRef> main_;                                               ///< by rank: the thread that began MPI
  std::uint64_t other_calls_ = 0;                                               ///< that communicate, by other threads
  std::pair<LocationRef, RegionRef> other_call_{undefined_ref, undefined_ref};  ///< the first of them
  std::map<WaitKey, Wait> waits_;
  MpiMatrix matrix_;
  std::uint64_t messages_ = 0, bytes_ = 0;
};

}  // namespace tracer::report
