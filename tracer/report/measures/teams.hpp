// SPDX-License-Identifier: BSD-3-Clause
// Parallel constructs: what their threads did, waited for and how evenly they were loaded.
#pragma once

#include <cstdint>
#include <map>

#include "tracer/replay/per_location.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/replacements.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

/// What the others of its team wait for: all that is not waiting for them, teams inside included.
std::uint64_t busy_of(const Team::Member& member);

class Teams final : public Observer {
 public:
  Teams(const Definitions& definitions, const Replay& replay, const Replacements& replacements)
      : definitions_{definitions}, replay_{replay}, replacements_{replacements} {}
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void team_ended(Team& team) override;
  void fill(Report& report) const;

 private:
  /// What a thread has to do in the teams of a region beside the mean of each: ns.
  struct Surplus {
    std::int64_t ns = 0;
    LocationRef master = 0;  ///< of the last of these teams
  };
  struct Entry {
    ParallelRow row;
    PerLocation<ActivityTimes> members;
    PerLocation<std::uint64_t> busy;
    PerLocation<Surplus> surplus;
  };
  std::uint64_t uneven(const Entry& entry) const;
  const Definitions& definitions_;
  const Replay& replay_;
  const Replacements& replacements_;
  std::map<RegionRef, Entry> entries_;
};

}  // namespace tracer::report
