// SPDX-License-Identifier: BSD-3-Clause
// The task graph's longest path: how fast the program could be with any number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "tracer/replay/bounded_map.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/report.hpp"

namespace tracer::report {

class MpiPaths;

/// Paths follow creation, the end of undeferred tasks, depend, taskwait, taskgroup, barriers, fork and join, and locks
/// that a thread waited for until another released them; with MpiPaths messages and collective operations of MPI as
/// well. Waiting is not on them.
class Graph final : public Observer {
 public:
  Graph(const Definitions& definitions, const Replay& replay) : definitions_{definitions}, replay_{replay} {}
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void enter(LocationRef location, Task& task, const Frame& frame) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void task_created(LocationRef location, Task& creator, Task& task) override;
  void task_started(LocationRef location, Task& task) override;
  void task_completed(LocationRef location, Task& task, std::uint64_t time) override;
  void task_switched(LocationRef, Task&, Task& to, std::uint64_t) override;
  void task_dependence(Task&, Task&) override { ++tasks_.dependences; }
  void team_begun(LocationRef location, Team& team, Task& implicit) override;
  void team_left(LocationRef location, Team& team, Task& implicit) override;
  void team_ended(Team& team) override;
  void fill(Report& report) const;
  /// From now on paths record where they went, to `resolution` ns (path_steps.hpp).
  void keep_trails(std::uint64_t resolution) {
    trails_ = true;
    resolution_ = resolution;
  }
  const Path& longest() const { return longest_; }

  // For MpiPaths, which decides which time in MPI is on a path.
  void follow_mpi(MpiPaths& paths) { mpi_ = &paths; }
  bool keeps_trails() const { return trails_; }
  void go_on_in(Trail& trail, LocationRef location, std::uint64_t from, std::uint64_t to) const {
    if (to > from) go_on(trail, location, from, to, resolution_);
  }
  void add_work(std::uint64_t ns, const Path& path);

 private:
  struct Lock {
    std::uint64_t released = 0;
    Path path;  ///< of who released it
  };
  Path& epoch(Team& team, std::uint64_t barrier);
  static void pass(Team& team, std::uint64_t barrier);
  const Definitions& definitions_;
  const Replay& replay_;
  TaskReport tasks_;
  std::map<RegionRef, TaskRow> regions_;
  Path longest_, chain_;
  MpiPaths* mpi_ = nullptr;
  std::unordered_map<OwnNumber, Lock, OwnNumber::Hash> locks_;
  Bound few_locks_{std::size_t{1} << 19};
  Path forgotten_;  ///< of barriers that nobody should request any more
  bool trails_ = false;
  std::uint64_t resolution_ = 0;
};

}  // namespace tracer::report
