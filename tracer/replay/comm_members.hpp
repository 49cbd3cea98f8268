// SPDX-License-Identifier: BSD-3-Clause
// Who is in a communicator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/definitions.hpp"

namespace tracer::report {

/// The locations of each communicator, whose group has indices into its paradigm's comm_locations. Those of one group
/// share them: a job may duplicate MPI_COMM_WORLD as often as it likes.
class CommMembers {
 public:
  explicit CommMembers(const Definitions& definitions);

  /// Of communicators.
  std::size_t size() const noexcept { return group_of_.size(); }
  const std::vector<LocationRef>& operator[](CommRef comm) const { return groups_[group_of_[comm]]; }
  /// The same for communicators of one group.
  std::uint32_t group_of(CommRef comm) const { return group_of_[comm]; }

 private:
  std::vector<std::uint32_t> group_of_;           ///< by communicator: its place in `groups_`
  std::vector<std::vector<LocationRef>> groups_;  ///< that communicators have; the first is nobody
};

}  // namespace tracer::report
