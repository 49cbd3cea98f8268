// SPDX-License-Identifier: BSD-3-Clause
// Where untied tasks change threads.
#include <algorithm>

#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {

void follow_untied_tasks(Tables& tables) {
  using Switch = ChannelScan::UntiedSwitch;
  std::vector<Switch> all;
  for (ChannelScan& scan : tables.channels) {
    all.insert(all.end(), scan.untied.begin(), scan.untied.end());
    std::vector<Switch>().swap(scan.untied);
  }
  std::stable_sort(all.begin(), all.end(), [](const Switch& a, const Switch& b) {
    return std::tie(a.task, a.time) < std::tie(b.task, b.time);
  });
  // The resuming thread may read its clock before the suspending one does: a resumption elsewhere
  // belongs to the nearest suspension, before or after it.
  std::vector<ChannelId>
      has;  // which threads have resumed the task and not suspended it: one, but for that and wrong sequences
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Switch& one = all[i];
    if (i > 0 && one.task != all[i - 1].task) has.clear();
    if (one.does == Switch::resumes) {
      has.push_back(one.channel);
      continue;
    }
    const bool had = std::erase(has, one.channel) != 0;
    if (one.does == Switch::completes) {
      if (!had && has.size() == 1 && one.time <= limit_of(tables, one.task))
        tables.plans[has.back()].unreported_ends.push_back({one.task, one.time});
      continue;
    }
    if (!had) continue;
    std::size_t next = i + 1;
    while (next < all.size() && all[next].task == one.task && all[next].does != Switch::resumes) ++next;
    if (next >= all.size() || all[next].task != one.task || all[next].channel == one.channel) continue;
    if (all[next].time > limit_of(tables, one.task)) continue;
    tables.plans[one.channel].migrations.push_back({one.time, one.task, false});
    tables.plans[all[next].channel].migrations.push_back({all[next].time, all[next].task, true});
  }
  for (Plan& plan : tables.plans)
    std::sort(plan.migrations.begin(), plan.migrations.end(), [](const Migration& a, const Migration& b) {
      return std::tie(a.time, a.task) < std::tie(b.time, b.task);
    });
}

}  // namespace tracer::translate
