// SPDX-License-Identifier: BSD-3-Clause
// Time per construct and per thread, and how evenly constructs are spread.
#pragma once

#include <deque>
#include <map>

#include "tracer/event_names.hpp"
#include "tracer/replay/per_location.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/replacements.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class Profile final : public Observer {
 public:
  Profile(const Definitions& definitions, const Replay& replay, const Replacements& replacements);
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override;
  void interval(LocationRef location, Task&, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t) override {
    if (!task.discarded) ++threads_[location].tasks;
  }
  void team_ended(Team& team) override;
  void fill(Report& report) const;

 private:
  struct Entry {
    std::uint64_t count = 0, total = 0, exclusive = 0, waiting = 0, longest = 0, shortest = ~std::uint64_t{0};
    std::uint64_t lost = 0;
    PerLocation<std::uint64_t> busy;
  };
  /// The n-th execution of a worksharing construct by a team.
  struct Instance {
    std::uint32_t threads = 0;
    std::uint64_t max = 0, sum = 0;
  };
  struct Shared {
    std::uint64_t folded = 0;  ///< executions that are complete
    std::deque<Instance> open;
    std::vector<std::uint64_t> executed;  ///< by each member
  };
  void share(Team& team, LocationRef location, RegionRef region, std::uint64_t ns);
  std::size_t member_of(const Team& team, LocationRef location) const;
  static std::uint64_t lost_in(const Instance& instance, std::uint32_t threads);

  const Definitions& definitions_;
  const Replay& replay_;
  const Replacements& replacements_;
  std::vector<Entry> entries_;
  std::vector<ThreadRow> threads_;
  std::map<const Team*, std::map<RegionRef, Shared>> shared_;
  std::array<std::uint64_t, event_types> event_counts_{};
};

/// Of the times per location, where threads that replaced each other are one; `lost` is left to the caller.
Balance balance_of(const PerLocation<std::uint64_t>& ns, const Replacements& replacements,
                   const Definitions& definitions);

}  // namespace tracer::report
