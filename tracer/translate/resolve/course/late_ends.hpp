// SPDX-License-Identifier: BSD-3-Clause
// Ends that come late. LLVM reports a worker's end of the join barrier and of its implicit task when the worker is
// woken for its next region or at exit, long after the region is over (13 to 24). What is true is the master's time.
#pragma once

#include "tracer/translate/resolve/course/nest.hpp"

namespace tracer::translate {

/// The time that is meant by an end or another record of a worker in `part`.
Ticks late_time(const Record& r, const Part& part) noexcept;
/// Up to this time late_time() is the record's own, whatever the record.
inline Ticks on_time_until(const Part& part) noexcept {
  const ParallelInstance* const p = part.parallel;
  return part.instance->rank != 0 && p && p->implicit_end != 0 ? p->implicit_end : never;
}

/// A worker whose late end never came (_exit, or the runtime dropped it) left with its master: by this time. never: the
/// part is not such a worker's, or its team's end is unknown.
Ticks left_with_master(const Part& part) noexcept;

}  // namespace tracer::translate
