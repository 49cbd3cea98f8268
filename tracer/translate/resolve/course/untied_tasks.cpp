// SPDX-License-Identifier: BSD-3-Clause
// See untied_tasks.hpp.
#include "tracer/translate/resolve/course/untied_tasks.hpp"

#include <algorithm>
#include <tuple>

namespace tracer::translate {

bool UntiedTasks::migrates(Ticks time, TaskId task, bool in) {
  if (!(task & untied_bit)) return false;
  const auto& all = plan_.migrations;
  while (next_ < all.size() && all[next_].time < time) ++next_;
  for (std::size_t m = next_; m < all.size() && all[m].time == time; ++m)
    if (all[m].task == task && all[m].in == in) return true;
  return false;
}

Ticks UntiedTasks::unreported_end(TaskId task, Ticks from) const {
  const auto before = [](const UnreportedEnd& end, const std::pair<TaskId, Ticks>& key) {
    return std::tie(end.task, end.time) < std::tie(key.first, key.second);
  };
  const auto& all = plan_.unreported_ends;
  const auto end = std::lower_bound(all.begin(), all.end(), std::pair(task, from), before);
  return end != all.end() && end->task == task ? end->time : never;
}

}  // namespace tracer::translate
