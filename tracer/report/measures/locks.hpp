// SPDX-License-Identifier: BSD-3-Clause
// Locks, critical regions, ordered and atomic: who waited how long, and for how long they were held.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "tracer/replay/bounded_map.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class Locks final : public Observer {
 public:
  explicit Locks(const Definitions& definitions, const Replay& replay) : definitions_{definitions}, replay_{replay} {}
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void fill(Report& report) const;

  static constexpr std::size_t most_rows = 1000;

 private:
  struct Entry {
    LockTotals totals;
    std::uint64_t acquired = 0, released = 0;
    RegionRef region = undefined_ref;    ///< where it was waited for first
    RegionRef taken_at = undefined_ref;  ///< by who has it
  };
  using Entries = std::unordered_map<OwnNumber, Entry, OwnNumber::Hash>;
  Entry& entry_of(OwnNumber lock);
  std::vector<Entries::const_iterator> by_wait() const;

  const Definitions& definitions_;
  const Replay& replay_;
  Entries locks_;                      ///< by process and number; few wherever a program has many that it takes once
  Bound bound_{std::size_t{1} << 19};  ///< programs may have a lock for each element of their data
  std::uint64_t forgotten_ = 0;
  LockTotals of_forgotten_;
  std::map<RegionRef, LockTotals> at_;  ///< by the region of the acquisition
};

}  // namespace tracer::report
