// SPDX-License-Identifier: BSD-3-Clause
// The whole picture: the facts of all channels together, and what was decided about it. Ids are (channel, counter), so
// every table is a vector per channel and no look-up hashes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tracer/definitions.hpp"
#include "tracer/translate/exclusions.hpp"
#include "tracer/translate/resolve/plan.hpp"
#include "tracer/translate/scan/facts.hpp"
#include "tracer/translate/scan/positions.hpp"

namespace tracer::translate {

struct Member {
  ChannelId channel = none;
  std::uint32_t implicit = none;
};

class RegionTable;  // regions.hpp

/// Everything the writing looks up. Read-only by then.
struct Tables {
  Tables();
  ~Tables();
  std::vector<ChannelScan> channels;
  std::vector<Plan> plans;  ///< by channel
  GrowingTable<Member> members;
  SpillFile* spill = nullptr;  ///< where the large ones lie
  Exclusions excluded;
  std::vector<LocationRef> location_of;  ///< by channel
  std::vector<ChannelId> channel_of;     ///< by location (CPU threads only)
  std::vector<CommRef> root_comm;        ///< by channel: the team of one around an initial task, or undefined
  /// By channel and row of its entities: when an explicit task begins to run, never for one that does not, 0 for one
  /// that was created when its team had ended, and is left out. Only where the records of tasks contradict each other
  /// or are not all there, or pauses leave tasks out (find_task_begins()); else empty.
  std::vector<std::vector<Ticks>> task_begins;
  /// Untied tasks that several threads ran at once, or one when they were complete.
  std::vector<TaskId> torn_tasks;
  std::vector<CommRef> mpi_comms;  ///< by the number that records have of a communicator; undefined_ref: none
  std::vector<std::uint32_t> mpi_windows, mpi_groups, io_handles, io_files;  ///< likewise
  std::unique_ptr<RegionTable> regions;
  std::vector<Toggle> toggles;  ///< of all threads, in order: off and on in turn
  RuntimeCode runtime;          ///< positions in it are none of the program's
  Ticks begin = 0, end = 0;     ///< of the run
  Ticks nanosecond = 1;         ///< so much later is later in the archive, too
  /// The deepest region that is open at the end. What is open is closed from within, an instant for each level, so that
  /// in whatever order a reader merges the threads, a team's members have left it when its master joins.
  std::uint8_t open_levels = 0;
  std::span<const HostOpId> landed;  ///< DeviceTimeline's

  /// The number of toggles until the pause that `time` is in, with its begin; 0: recording is on.
  std::size_t pause_at(Ticks time) const noexcept {
    const auto next =
        std::upper_bound(toggles.begin(), toggles.end(), time, [](Ticks t, const Toggle& o) { return t < o.time; });
    return next != toggles.begin() && !std::prev(next)->recording ? static_cast<std::size_t>(next - toggles.begin())
                                                                  : 0;
  }
  /// Recording is off at `from`, and stays so until after `to`.
  bool paused(Ticks from, Ticks to) const noexcept {
    const std::size_t pause = pause_at(from);
    return pause != 0 && (pause == toggles.size() || toggles[pause].time > to);
  }

  std::optional<Entity> entity(std::uint64_t id) const noexcept {
    const ChannelId channel = tracer::channel_of(id);
    if (id == no_id || channel >= channels.size()) return {};
    const auto& entities = channels[channel].entities;
    const std::uint64_t counter = counter_of(id);
    return entities.row(counter) != Entities::no_row ? std::optional(entities.get(counter)) : std::nullopt;
  }
  /// Of what an id names, in tables that have a row for each entity of its channel: there must be one.
  std::size_t row(std::uint64_t id) const noexcept {
    return channels[tracer::channel_of(id)].entities.row(counter_of(id));
  }
  const ParallelInstance* parallel(ParallelId id) const noexcept {
    const std::optional<Entity> e = entity(id);
    if (!e || e->site != none || e->index == none) return nullptr;
    const auto& parallels = channels[tracer::channel_of(id)].parallels;
    return e->index < parallels.size() && parallels[e->index].id == id ? &parallels[e->index] : nullptr;
  }
  /// The part in a team in which an implicit task is: its own, or one around it; nullptr: outside all teams.
  const ImplicitInstance* part_of(ChannelId channel, std::uint32_t index) const noexcept {
    const auto& implicits = channels[channel].implicits;
    while (index < implicits.size() && parallel(implicits[index].parallel) == nullptr) index = implicits[index].outer;
    return index < implicits.size() ? &implicits[index] : nullptr;
  }
  /// Each task runs and completes by its own records: any other record of its end is wrong.
  bool all_tasks_end() const noexcept { return task_begins.empty(); }
  /// Whether a record of this time is the first valid one that starts the task. 0: it is left out, and never starts.
  bool begins_at(TaskId id, Ticks time) const noexcept {
    if (all_tasks_end()) return true;
    const ChannelId channel = tracer::channel_of(id);
    if (channel >= task_begins.size()) return false;
    const std::size_t row = channels[channel].entities.row(counter_of(id));
    return row < task_begins[channel].size() && task_begins[channel][row] == time;
  }
  /// As what lacks a creation is where all tasks are.
  bool is_left_out(TaskId id) const noexcept {
    return !all_tasks_end() && (begins_at(id, 0) || (excluded.all_tasks && id != no_id));
  }
  ParallelInstance* parallel(ParallelId id) noexcept {
    return const_cast<ParallelInstance*>(static_cast<const Tables*>(this)->parallel(id));
  }
};

}  // namespace tracer::translate
