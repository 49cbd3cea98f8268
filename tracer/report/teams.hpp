// SPDX-License-Identifier: BSD-3-Clause
// Parallel constructs: what their threads did, waited for and how evenly they were loaded.
#pragma once

#include <map>

#include "tracer/report/per_location.hpp"
#include "tracer/report/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class Teams final : public Observer {
 public:
  explicit Teams(const Definitions& definitions) : definitions_{definitions} {}
  unsigned told() const override { return 0; }
  void team_ended(Team& team) override;
  void fill(Report& report) const;

 private:
  struct Entry {
    ParallelRow row;
    PerLocation<ActivityTimes> members;
  };
  const Definitions& definitions_;
  std::map<RegionRef, Entry> entries_;
};

}  // namespace tracer::report
