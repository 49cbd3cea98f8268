// SPDX-License-Identifier: BSD-3-Clause
// Where untied tasks change threads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tracer/translate/resolve/resolve.hpp"

namespace tracer::translate {

namespace {

struct Switch : UntiedLog::Switch {
  ChannelId channel;
};

/// Tasks that did not run as a whole each time that they ran.
std::unordered_set<TaskId> interrupted(const Tables& tables) {
  std::unordered_set<TaskId> found;
  for (const ChannelScan& scan : tables.channels) {
    TaskId began = no_id;  // and nothing since
    scan.untied.for_each([&](const UntiedLog::Switch& one) {
      const TaskId before = std::exchange(began, one.does == UntiedLog::resumes ? one.task : no_id);
      if (one.does == UntiedLog::completes && one.task == before) return;
      if (before != no_id) found.insert(before);
      if (one.does != UntiedLog::resumes) found.insert(one.task);
    });
    if (began != no_id) found.insert(began);
  }
  return found;
}

/// More tasks ended than were created: one that ran as a whole may have done so twice.
bool end_twice(const Tables& tables) {
  std::uint64_t created = 0, ended = 0;
  for (const ChannelScan& scan : tables.channels) {
    created += scan.kinds[static_cast<std::size_t>(RecordKind::task_create)];
    ended += scan.tasks_ended;
  }
  return ended > created;
}

/// All switches of untied tasks that may have changed their thread, by task and time.
std::vector<Switch> take_switches(Tables& tables) {
  std::vector<Switch> all;
  const bool take_all = end_twice(tables);
  const std::unordered_set<TaskId> followed = interrupted(tables);
  for (ChannelId c = 0; c < tables.channels.size(); ++c) {
    const UntiedLog log = std::move(tables.channels[c].untied);
    log.for_each([&](const UntiedLog::Switch& one) {
      if (take_all || followed.contains(one.task)) all.push_back({one, c});
    });
    tables.channels[c].untied = {};
  }
  std::stable_sort(all.begin(), all.end(), [](const Switch& a, const Switch& b) {
    return std::tie(a.task, a.time) < std::tie(b.task, b.time);
  });
  return all;
}

/// One task from thread to thread.
class Follower {
 public:
  Follower(Tables& tables, TaskId task) : tables_(tables), task_(task), limit_(limit_of(tables, task)) {}
  void follow(std::span<const Switch> switches) {
    for (std::size_t i = 0; i < switches.size(); ++i) take(switches[i], switches.subspan(i + 1));
    if (is_torn_) tables_.torn_tasks.push_back(task_);
  }

 private:
  void take(const Switch& one, std::span<const Switch> later) {
    if (one.does == UntiedLog::resumes) {
      is_torn_ |= is_over_ && one.time > over_;
      if (where_ == none) where_ = one.channel;
      return has_.push_back(one.channel);
    }
    const bool had = std::erase(has_, one.channel) != 0;
    if (one.does == UntiedLog::completes) return complete(one, had);
    if (!had) return;
    // The resuming thread may read its clock before the suspending one does: a resumption elsewhere
    // belongs to the nearest suspension, before or after it.
    const auto next =
        std::find_if(later.begin(), later.end(), [](const Switch& s) { return s.does == UntiedLog::resumes; });
    if (next == later.end() || next->channel == one.channel || next->time > limit_) return;
    is_torn_ |= where_ != one.channel;
    where_ = next->channel;
    tables_.plans[one.channel].migrations.push_back({one.time, task_, false});
    tables_.plans[next->channel].migrations.push_back({next->time, task_, true});
  }
  void complete(const Switch& one, bool had) {
    is_over_ = true;
    over_ = one.time;
    if (!had && has_.size() == 1 && one.time <= limit_)
      tables_.plans[has_.back()].unreported_ends.push_back({task_, one.time});
  }

  Tables& tables_;
  const TaskId task_;
  const Ticks limit_;
  std::vector<ChannelId> has_;  ///< resumed it and have not suspended it: one, but for wrong sequences
  ChannelId where_ = none;      ///< to which thread it has gone, as was decided
  bool is_over_ = false;
  Ticks over_ = 0;
  bool is_torn_ = false;
};

}  // namespace

void follow_untied_tasks(Tables& tables) {
  const std::vector<Switch> all = take_switches(tables);
  for (auto one = all.begin(); one != all.end();) {
    const auto next = std::find_if(one, all.end(), [&](const Switch& s) { return s.task != one->task; });
    Follower(tables, one->task).follow({one, next});
    one = next;
  }
  for (Plan& plan : tables.plans)
    std::sort(plan.migrations.begin(), plan.migrations.end(), [](const Migration& a, const Migration& b) {
      return std::tie(a.time, a.task) < std::tie(b.time, b.task);
    });
}

}  // namespace tracer::translate
