// SPDX-License-Identifier: BSD-3-Clause
// See course.hpp.
#include "tracer/translate/resolve/course/course.hpp"

namespace tracer::translate {

// A task's end may be recorded after the barrier that waited for it: its time is the barrier's then. What else comes so
// late comes after the team (records are missing).
Ticks Course::time_of(const Record& r) const noexcept {
  const Ticks due = teams.due(r);
  const bool is_late_end =
      r.kind == RecordKind::task_schedule && nest_.in_explicit_task() && r.b == nest_.current->id && due > limit();
  return is_late_end ? limit() : due;
}

void Course::end_unreported(const Record& r, Ticks time) {
  if (nest_.current->ends_unreported && tasks.is_over(r)) tasks.end_unreported(view_.clock(time));
}

Nanoseconds Course::end_all(Nanoseconds t) {
  const Nanoseconds end = std::max(teams.end_all(t), listener_.last());
  teams.end_unstarted(none, end);
  return end;
}

void Course::end_outside(Nanoseconds t) {
  tasks.close(t, 0, undefined_ref);
  RegionStack& open = nest_.base.open;
  listener_.left(open, open.closed(view_.repairs, 0, Repair::region_closed_at_end_of_trace), t);
}

}  // namespace tracer::translate
