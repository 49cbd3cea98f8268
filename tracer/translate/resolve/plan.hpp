// SPDX-License-Identifier: BSD-3-Clause
// What was decided for one channel, and its second reading carries out: releases and ends that no record reports in
// time, changes of thread, the order of locks.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/ids.hpp"
#include "tracer/translate/resolve/lock_orders.hpp"
#include "tracer/translate/scan/facts.hpp"

namespace tracer::translate {

/// An acquisition that the next one of its lock ends, or the end of the trace, if its release has not come by then.
struct ImpliedRelease {
  Ticks time = never;                                ///< never: the end of the trace
  std::uint32_t acquisition = none, release = none;  ///< operations of the channel; none: no release
  LockOperation operation;
};

/// A suspension or resumption of an untied task that goes on with another thread.
struct Migration {
  Ticks time = 0;
  TaskId task = no_id;
  bool in = false;  ///< it arrives here (again); else it leaves
};

/// An untied task ended here, and another thread recorded it: of those that have run its parts, libomp lets the last
/// that comes back from one show it, which need not be the one that ran the last.
struct UnreportedEnd {
  TaskId task = no_id;
  Ticks time = 0;  ///< when it was recorded
};

struct Plan {
  LockOrders lock_orders;
  std::vector<ImpliedRelease> implied_releases;  ///< in order of time
  std::vector<Migration> migrations;             ///< in order of time and task
  std::vector<UnreportedEnd> unreported_ends;    ///< in order of task and time
  /// Tasks created here that nobody ever ran (the trace ends before), by the implicit instance with which they end.
  std::vector<std::pair<std::uint32_t, TaskId>> unstarted;
  /// By number of range_push on the channel: those that do not nest with what else happens on the thread; empty: all
  /// do.
  std::vector<bool> strays;
};

}  // namespace tracer::translate
