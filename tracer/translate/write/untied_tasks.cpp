// SPDX-License-Identifier: BSD-3-Clause
// Untied tasks that go on with another thread, and end there.
#include <algorithm>
#include <tuple>

#include "tracer/translate/write/location_translator.hpp"

namespace tracer::translate {

bool LocationTranslator::migrates(Ticks time, TaskId task, bool in) {
  if (!(task & untied_bit)) return false;
  const auto& all = plan_.migrations;
  while (next_migration_ < all.size() && all[next_migration_].time < time) ++next_migration_;
  for (std::size_t m = next_migration_; m < all.size() && all[m].time == time; ++m)
    if (all[m].task == task && all[m].in == in) return true;
  return false;
}

/// An untied task that has come here goes on to its end, which another thread tells.
void LocationTranslator::expect_unreported_end(TaskId id, Ticks from, TaskId below) {
  const auto& all = plan_.unreported_ends;
  const auto before = [](const UnreportedEnd& end, const std::pair<TaskId, Ticks>& key) {
    return std::tie(end.task, end.time) < std::tie(key.first, key.second);
  };
  const auto end = std::lower_bound(all.begin(), all.end(), std::pair(id, from), before);
  TaskState* const task = explicit_.find(id);
  if (!task || end == all.end() || end->task != id) return;
  task->ends_unreported = true;
  task->below = below;
  task->limit = std::min(task->limit, end->time);
  expiry_ = std::min(expiry_, task->limit);
  limit_ = std::min(limit_, expiry_);
}

/// Whether the record is of what runs after a task whose end is not told: it names another as the current one.
bool LocationTranslator::is_over(const Record& r) const {
  if (nest_.size() != current_->depth) return false;  // of a team that the task made
  switch (r.kind) {
    case RecordKind::task_schedule:
    case RecordKind::task_create:
    case RecordKind::sync_region:
    case RecordKind::sync_region_wait:
    case RecordKind::cancel:
      return r.b != current_->id;
    case RecordKind::implicit_task:
      return r.endpoint == Endpoint::end;
    default:
      return false;
  }
}

void LocationTranslator::end_unreported(Nanoseconds t) {
  const TaskId id = current_->id, below = current_->below;
  complete_current(t);
  const TaskState* const under = explicit_.find(below);
  if (under && under->depth >= nest_.size()) {  // not one outside of this part of a team
    switch_to(below, t);
  } else {
    switch_to(implicit().id, t);
    current_ = &implicit();
  }
  forget(id);
}

}  // namespace tracer::translate
