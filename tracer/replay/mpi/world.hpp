// SPDX-License-Identifier: BSD-3-Clause
// The ranks of an archive: which process is which rank of MPI_COMM_WORLD, and who is in which communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// Of an archive of several worlds (a script's mpiruns) the ranks follow each other.
class MpiWorld {
 public:
  explicit MpiWorld(const Definitions& definitions);

  /// 0: no MPI in the archive. Ranks that left no trace count.
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(group_of_.size()); }
  /// Sets of ranks that no communicator joins.
  std::uint32_t worlds() const { return worlds_; }
  /// Of the location's process; undefined_ref: none.
  std::uint32_t rank_of(LocationRef location) const;
  /// The process, as an index into groups_of_locations; undefined_ref: the archive has none. Of one that left no trace
  /// a joined archive has the name.
  std::uint32_t group_of(std::uint32_t rank) const { return group_of_[rank]; }
  /// By rank, as tables call it: "3", or where there are several MPI_COMM_WORLDs "0 of world 2".
  std::vector<std::string> labels(const Definitions& definitions) const;
  /// False: its events are not there. It left no trace, or the selected part of the trace leaves it out.
  bool is_known(std::uint32_t rank) const { return is_known_[rank]; }

  /// Rank `rank` of a communicator, as the process of rank `me` counts: of the remote group, where there are two.
  /// undefined_ref: unknown.
  std::uint32_t world_rank(CommRef comm, std::uint32_t me, std::uint32_t rank) const;
  /// Of a communicator with one group, in its order; empty: unknown, two groups, or MPI_COMM_SELF.
  std::span<const std::uint32_t> members(CommRef comm) const;
  /// How many of members() are known.
  std::size_t members_with_trace(CommRef comm) const;
  /// Who takes part in its collective operations: of both groups, where there are two; empty: unknown, or
  /// MPI_COMM_SELF.
  std::vector<std::uint32_t> all_members(CommRef comm) const;

 private:
  /// Groups, whose members their communicators share.
  struct Members {
    std::uint32_t local = undefined_ref, remote = undefined_ref;
    bool is_self = false;
  };
  std::span<const std::uint32_t> ranks_in(std::uint32_t group) const {
    return group < groups_.size() ? std::span<const std::uint32_t>{groups_[group]} : std::span<const std::uint32_t>{};
  }
  void count_worlds();

  std::vector<std::uint32_t> group_of_;             ///< by rank
  std::vector<bool> is_known_;                      ///< by rank
  std::vector<std::uint32_t> rank_of_;              ///< by location group
  std::vector<std::uint32_t> location_group_;       ///< by location
  std::vector<Members> comms_;                      ///< by comm; of those that are not MPI's empty
  std::vector<std::vector<std::uint32_t>> groups_;  ///< by group: the ranks, where a comm has them; else empty
  std::uint32_t worlds_ = 0;
};

}  // namespace tracer::report
