// SPDX-License-Identifier: BSD-3-Clause
// How events name tasks: by their team, the rank of its creator, and its number there.
#pragma once

#include <array>

#include "tracer/translate/resolve/course/nest.hpp"

namespace tracer::translate {

class TaskNames {
 public:
  explicit TaskNames(const Tables& tables) : tables_(tables), last_(look_up(no_id)) {}

  /// comm undefined: its team is in no archive.
  TaskName of(TaskId id) const { return task(id).name; }
  /// Its region's; construct count_ when nobody created it.
  RegionKey region(TaskId id) const { return task(id).region; }

 private:
  struct Task {
    TaskId id = no_id;
    TaskName name;
    RegionKey region;
  };
  /// A task that begins is requested several times in turn.
  const Task& task(TaskId id) const {
    if (id != last_.id) last_ = look_up(id);
    return last_;
  }
  Task look_up(TaskId id) const;
  struct Creator {
    ChannelId channel = none;
    std::uint32_t index = none;  ///< implicit instance
    CommRef comm = undefined_ref;
    std::uint32_t rank = 0;
    std::uint64_t before = 0;  ///< counter of its implicit task: generations count from there
  };
  const Creator& creator_of(ChannelId channel, std::uint32_t index) const;

  const Tables& tables_;
  mutable std::array<Creator, 16> creators_{};
  mutable Task last_;
};

}  // namespace tracer::translate
