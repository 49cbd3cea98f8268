// SPDX-License-Identifier: BSD-3-Clause
// Workers that took the place in teams of one that had ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tracer/replay/replay.hpp"

namespace tracer::report {

/// libgomp ends the workers that a smaller team does not use, and those of a nested team with it; new ones have their
/// numbers in later teams. As one place they tell how evenly work was spread, as threads they do not.
class Replacements final : public Observer {
 public:
  Replacements(const Definitions& definitions, const Replay& replay);
  void team_begun(LocationRef location, Team& team, Task&) override;
  void finished(std::uint64_t) override;
  /// Once all is read: the first thread that had the place of `location`; itself where it replaced none.
  LocationRef first_of(LocationRef location) const { return first_of_[location]; }

 private:
  /// The first team of a thread that was not its master.
  struct Arrival {
    LocationRef location = 0, master = 0;
    std::size_t level = 0, number = 0;  ///< of the team: how many are around it; in the team
    std::uint64_t team = 0;             ///< Team::number
  };
  std::size_t number_in(const Team& team, LocationRef location) const;

  const Definitions& definitions_;
  const Replay& replay_;
  std::vector<Arrival> arrivals_;
  std::vector<std::uint64_t> last_team_;  ///< of each location: Team::number; 0: none yet
  std::vector<LocationRef> first_of_;
};

}  // namespace tracer::report
