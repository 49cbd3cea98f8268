// SPDX-License-Identifier: BSD-3-Clause
// What the events of all locations say together: which thread began and ended which team while it was there, and when
// each task was created, ran and completed. One location alone cannot know it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "tracer/event_sink.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// Collects the events of a dry run, which name teams and tasks by their ids (see Naming).
class Relations {
 public:
  explicit Relations(const Tables& tables);
  Relations(const Relations&) = delete;
  ~Relations();

  /// For one location's events. Any thread.
  std::unique_ptr<LocationWriter> open(LocationRef location);

  // When all locations are closed:
  /// Those of which a member does not begin and end its part exactly once between fork and join (rule E06).
  std::vector<ParallelId> broken_teams() const;
  /// Those that are not created, begun and completed once, in this order and before the join (rule E09). When no team
  /// is broken.
  std::vector<TaskId> broken_tasks() const;

 private:
  class Writer;
  struct Stay {
    LocationRef location;
    Nanoseconds begin, end;
  };
  struct Team {
    CommRef comm = undefined_ref;
    Nanoseconds forked = 0, joined = 0;
    std::uint32_t forks = 0;
    bool broken = false;
    std::vector<Stay> stays;
  };
  struct Task {
    CommRef comm = undefined_ref;
    Nanoseconds created = 0, began = ~Nanoseconds{0}, went_on = 0, completed = 0;  ///< went_on: the last switch to it
    LocationRef at = undefined_ref, completed_at = undefined_ref;                  ///< of these two
    std::uint8_t creations = 0, completions = 0;                                   ///< at most 2
    bool at_others = false;  ///< went_on: several locations say so
    bool broken = false;
    bool is_there() const noexcept { return creations != 0 || completions != 0 || at != undefined_ref; }
  };
  struct Span {
    Nanoseconds forked, joined;
  };
  Task* task(std::uint64_t id) noexcept;
  void task_event(const Event& event, LocationRef location) noexcept;
  bool holds(ParallelId id, const Team& team) const;
  static bool holds(const Task& task, const std::vector<Span>& of_comm);

  const Tables& tables_;
  std::mutex mutex_;  // of what follows
  std::map<ParallelId, Team> teams_;
  std::vector<std::vector<Task>> tasks_;  ///< by channel and counter
};

}  // namespace tracer::translate
