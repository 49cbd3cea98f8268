// SPDX-License-Identifier: BSD-3-Clause
// See late_ends.hpp.
#include "tracer/translate/resolve/course/late_ends.hpp"

#include <algorithm>

#include "tracer/ompt_values.hpp"

namespace tracer::translate {
namespace {

/// What a thread does only while it runs the program's code: never late, so its team's end was lost.
constexpr bool is_of_program(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::mutex_acquire:
    case RecordKind::mutex_acquired:
    case RecordKind::mutex_released:
    case RecordKind::nest_lock:
    case RecordKind::task_create:
    case RecordKind::dispatch:
      return true;
    default:
      return false;
  }
}

}  // namespace

Ticks late_time(const Record& r, const Part& part) noexcept {
  if (r.endpoint == Endpoint::begin || r.time <= on_time_until(part)) return r.time;
  const bool begins_task = r.kind == RecordKind::task_schedule && r.c != no_id && r.c != part.task.id;
  if (begins_task || is_of_program(r.kind)) return r.time;
  const ParallelInstance& p = *part.parallel;
  if (r.kind == RecordKind::sync_region_wait && p.join_wait_end != 0) return std::min(r.time, p.join_wait_end);
  if (r.kind == RecordKind::sync_region && p.join_end != 0) return std::min(r.time, p.join_end);
  return p.implicit_end;
}

Ticks left_with_master(const Part& part) noexcept {
  return part.parallel && part.instance->rank != 0 ? part.parallel->limit : never;
}

}  // namespace tracer::translate
