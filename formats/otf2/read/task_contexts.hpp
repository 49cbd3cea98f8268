// SPDX-License-Identifier: BSD-3-Clause
// In which calling context each location is, of an archive's events in order of time: open regions belong to tasks, and
// go with them from thread to thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "formats/otf2/read/context_tree.hpp"
#include "formats/otf2/read/reader.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {

class TaskContexts {
 public:
  /// Of one task; an implicit one where `generation` was 0.
  struct Task {
    std::uint32_t base = ContextTree::root;  ///< in which its first region was entered
    std::vector<std::uint32_t> open;         ///< its regions, as contexts
    std::uint32_t last = ContextTree::root;  ///< of its last event
    bool begun = false;                      ///< had an event
    std::uint32_t top() const { return open.empty() ? base : open.back(); }
  };
  struct Location {
    std::deque<Task> implicit{Task{}};  ///< of its teams, innermost last; the first is what it does outside of all
    std::vector<std::shared_ptr<Task>> suspended;  ///< explicit tasks that encountered these teams, or null
    std::shared_ptr<Task> explicit_task;           ///< that is current
    std::uint32_t previous = ContextTree::root;    ///< of the location's last event; of the task's that goes on
    Task& current() { return explicit_task != nullptr ? *explicit_task : implicit.back(); }
  };

  /// `tree` must stay.
  TaskContexts(const TraceDefinitions& definitions, const ContextTree& tree);
  std::size_t index_of(std::uint64_t location) const { return index_.at(location); }
  Location& location(std::size_t index) { return locations_[index]; }
  std::size_t locations() const { return locations_.size(); }
  /// What an event that is no Enter or Leave changes: teams and tasks.
  void follow(const EventView& event);

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;  ///< team, creator, generation
  void resume(Location& at, std::uint32_t top);

  const ContextTree& tree_;
  NumberMap<std::size_t> index_;
  std::vector<Location> locations_;
  std::map<Key, std::shared_ptr<Task>> tasks_;
};

}  // namespace tracer::otf2
