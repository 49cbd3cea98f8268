// SPDX-License-Identifier: BSD-3-Clause
// Between the passes: what the channels found out alone is joined into one picture.
#pragma once

#include <cstddef>

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/trace_source.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// Master first, then the channels in order: fills location_of and channel_of and names the
/// locations ("Master thread", "OMP thread 1", nested "OMP thread 1:1") by their first team.
void define_locations(Tables& tables, const Journal& journal, Definitions& definitions);

/// Members of each team, and the communicators over them, reused for equal teams. Needs locations.
void form_teams(Tables& tables, Definitions& definitions);

/// Numbers locks and their acquisitions over all threads, and moves a release that was reported
/// after the next acquisition (the callback comes after the unlock) back to it. Returns how many locks Tables::excluded
/// leaves out.
std::size_t order_locks(Tables& tables);

/// By when a task must have begun: the end of the team whose thread created it; 0 for what is no explicit task.
Ticks limit_of(const Tables& tables, TaskId id);

/// Finds the suspensions after which an untied task goes on with another thread.
void follow_untied_tasks(Tables& tables);

/// Where records of tasks contradict each other, or tasks were created that never ended: finds out where and when each
/// task begins to run, and those that never do, so that their creator's team can end with them. What cannot all be true
/// of a task leaves it out, which is counted in `repairs`. Reads all channels once more, or twice where threads
/// contradict each other; traces that end well and have no pauses are spared. Leaves out what Tables::excluded has,
/// too, whose teams are in `definitions`; and tasks that were created and completed in one pause, which is not counted.
/// Behind follow_untied_tasks().
void find_task_begins(Tables& tables, const TraceSource& source, const Definitions& definitions, unsigned threads,
                      Repairs& repairs);

}  // namespace tracer::translate
