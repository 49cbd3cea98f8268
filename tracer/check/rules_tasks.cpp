// SPDX-License-Identifier: BSD-3-Clause
// E09-E11: explicit tasks, implicit tasks, locks.
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "tracer/check/rule.hpp"
#include "tracer/check/team_instances.hpp"
#include "tracer/number_map.hpp"

namespace tracer::check {
namespace {

bool is_task_event(EventKind k) {
  return k == EventKind::thread_task_create || k == EventKind::thread_task_switch ||
         k == EventKind::thread_task_complete;
}
TaskKey key_of(const EventView& e) {
  return {e.field[0], static_cast<std::uint32_t>(e.field[1]), static_cast<std::uint32_t>(e.field[2])};
}
std::string text(const TaskKey& k) {
  return "task " + std::to_string(k.generation) + " of thread " + std::to_string(k.creator) + " in team " +
         std::to_string(k.team);
}

class TaskLife final : public Rule {
 public:
  explicit TaskLife(const CheckContext& c) : Rule(c), forks_(c) {}
  bool wants(EventKind k) const override {
    return is_task_event(k) || k == EventKind::thread_fork || k == EventKind::thread_team_begin ||
           k == EventKind::thread_team_end || k == EventKind::thread_join;
  }
  void event(const EventView& e) override {
    forks_.settle(e.time, [this](const ForkInstance& fork) { joined(fork); });
    switch (e.kind) {
      case EventKind::thread_task_create:
        return created(e);
      case EventKind::thread_task_switch:
        return switched(e);
      case EventKind::thread_task_complete:
        return completed(e);
      case EventKind::thread_fork:
        return forks_.fork(e);
      case EventKind::thread_team_begin:
        return forks_.team_begin(e);
      case EventKind::thread_team_end:
        return forks_.team_end(e);
      default:
        forks_.join(e);
    }
  }
  void finish() override {
    forks_.settle(~std::uint64_t{0}, [this](const ForkInstance& fork) { joined(fork); });
    for (const auto& [key, task] : live_) report(key, task);
  }

 private:
  struct Task {
    std::uint64_t location, time, position;  ///< of its creation, or of its first switch when that came first
    bool created = false, switched = false, completed = false;
  };
  void created(const EventView& e) {
    applies();
    const auto key = key_of(e);
    const auto [known, is_new] = live_.try_emplace(key, Task{e.location, e.time, e.position, true});
    if (is_new) {
      ++of_team_[key.team];
      return;
    }
    // Seen elsewhere at this very time: the order of locations means nothing.
    if (!known->second.created && known->second.time == e.time) {
      known->second.created = true;
      if (known->second.completed) erase(key);
      return;
    }
    blame(key);
    add_violation(e, text(key) + (known->second.created ? " exists already" : " is created after its first switch"));
    known->second = {e.location, e.time, e.position, true};
  }
  Task& find(const TaskKey& key, const EventView& e) {
    const auto [known, is_new] = live_.try_emplace(key, Task{e.location, e.time, e.position});
    if (is_new) ++of_team_[key.team];
    return known->second;
  }
  void switched(const EventView& e) {
    const auto key = key_of(e);
    if (key.generation == 0) return;
    applies();
    find(key, e).switched = true;
  }
  void completed(const EventView& e) {
    applies();
    const auto key = key_of(e);
    auto& task = find(key, e);
    const auto& s = c_.state(e);
    const bool is_current = s.in_task && s.task == key;
    if (!is_current || !task.switched) blame(key);
    if (!is_current) add_violation(e, text(key) + " is not the current task");
    if (!task.switched) add_violation(e, text(key) + " never ran");
    task.completed = true;
    if (task.created) return erase(key);
    if (task.time != e.time) {  // not even at the same time
      blame(key);
      add_violation(task.location, task.time, "ThreadTaskSwitch: " + text(key) + " was never created", task.position);
      erase(key);
    }
  }
  void blame(const TaskKey& key) {
    const auto* team = d().comms.find(key.team);
    Rule::blame({Subject::Kind::task, team ? std::string{d().text(team->name)} : "", key.creator, key.generation});
  }
  void erase(const TaskKey& key) {
    --of_team_[key.team];
    live_.erase(key);
  }
  /// A join waits for the team's tasks.
  void joined(const ForkInstance& fork) {
    const auto count = of_team_.find(fork.team);
    if (count == of_team_.end() || count->second == 0) return;
    std::erase_if(live_, [&](const auto& item) {
      // At the very time of the join it may be of the next fork. If it is not, it is reported at the end.
      if (item.first.team != fork.team || item.second.time < fork.forked || item.second.time >= fork.joined)
        return false;
      report(item.first, item.second);
      --count->second;
      return true;
    });
  }
  void report(const TaskKey& key, const Task& task) {
    // The archive of a killed or stopped run is marked as incomplete: tasks may not have come to their end.
    const auto* complete = c_.trace().info().property("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE");
    if (task.created && complete != nullptr && *complete == "false") return;
    blame(key);
    const char* what = task.created ? " is not complete at the join" : " was never created";
    add_violation(task.location, task.time,
                  (task.created ? "ThreadTaskCreate: " : "ThreadTaskSwitch: ") + text(key) + what, task.position);
  }

  OpenForks forks_;
  std::unordered_map<TaskKey, Task, TaskKeyHash> live_;
  NumberMap<std::uint64_t> of_team_;
};

class ImplicitTask final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k == EventKind::thread_task_switch || k == EventKind::thread_team_end;
  }
  void event(const EventView& e) override {
    const auto& s = c_.state(e);
    if (e.kind == EventKind::thread_team_end) {
      applies();
      if (s.in_task) add_violation(e, text(s.task) + " is current, not the implicit task");
      return;
    }
    applies();
    const auto next = key_of(e);
    if (next.generation != 0) {
      if (s.in_task && s.task == next) add_violation(e, text(next) + " is current already");
      return;
    }
    const auto rank = c_.rank_of(e.location, next.team);
    if (rank >= 0 && rank != next.creator)
      add_violation(
          e, "to the implicit task of thread " + std::to_string(next.creator) + " on thread " + std::to_string(rank));
    if (!s.in_task && !s.task_done && s.last_kind != EventKind::none && s.frames.back().team == next.team)
      add_violation(e, "the implicit task is current already");
  }
};

/// Acquisitions of a lock in their order, whatever order locations come in at equal times.
class Locks final : public Rule {
 public:
  using Rule::Rule;
  bool wants(EventKind k) const override {
    return k == EventKind::thread_acquire_lock || k == EventKind::thread_release_lock ||
           k == EventKind::omp_acquire_lock || k == EventKind::omp_release_lock;
  }
  void event(const EventView& e) override {
    applies();
    const bool old = e.kind == EventKind::omp_acquire_lock || e.kind == EventKind::omp_release_lock;
    const auto id = e.field[old ? 0 : 1];
    const auto order = e.field[old ? 1 : 2];
    const auto paradigm = old ? std::uint64_t{otf2::values::paradigm_openmp} : e.field[0];
    auto& lock = locks_[{d().locations.find(e.location)->group, paradigm, id}];  // each process numbers its own
    if (e.kind == EventKind::thread_acquire_lock || e.kind == EventKind::omp_acquire_lock) {
      const auto [held, is_new] = lock.held.try_emplace(order, Hold{e.location, e.time, 0, e.position, 1});
      if (is_new && order >= lock.next) return;
      if (!is_new && held->second.depth > 0 && held->second.location == e.location) {
        ++held->second.depth;  // a nestable lock
        return;
      }
      blame({Subject::Kind::lock, {}, id, 0});
      return add_violation(e, "the order " + std::to_string(order) + " of lock " + std::to_string(id) + " is not new");
    }
    const auto held = lock.held.find(order);
    if (held == lock.held.end() || held->second.depth == 0) {
      blame({Subject::Kind::lock, {}, id, 0});
      return add_violation(e, "lock " + std::to_string(id) + " is not held with order " + std::to_string(order));
    }
    if (--held->second.depth > 0) return;
    held->second.end = e.time;
    settle(id, lock, false);
  }
  void finish() override {
    for (auto& [key, lock] : locks_) settle(std::get<2>(key), lock, true);
  }

 private:
  struct Hold {
    std::uint64_t location, begin, end, position;
    unsigned depth;  ///< 0: released
  };
  struct Lock {
    std::map<std::uint64_t, Hold> held;  ///< by order, from the first not judged
    std::uint64_t next = 0, free_since = 0;
    bool seen = false;
  };
  static constexpr std::size_t most_ahead = 4096;  ///< acquisitions waiting for one before them

  void settle(std::uint64_t id, Lock& lock, bool all) {
    while (!lock.held.empty()) {
      const auto order = lock.held.begin()->first;  // no structured binding: clang 14 captures none
      const auto hold = lock.held.begin()->second;
      const bool expected = !lock.seen || order == lock.next;
      if (!all && hold.depth > 0 && lock.held.size() < most_ahead) return;
      if (!all && !expected && lock.held.size() < most_ahead && lock.held.size() <= c_.states().size() + 1) return;
      const auto at = [&](const std::string& what) {
        blame({Subject::Kind::lock, {}, id, 0});
        add_violation(
            hold.location, hold.begin,
            "ThreadAcquireLock: lock " + std::to_string(id) + ", order " + std::to_string(order) + ": " + what,
            hold.position);
      };
      if (!expected) at("the order before was " + std::to_string(lock.next - 1));
      if (hold.depth > 0) at("is never released");
      if (lock.seen && hold.begin < lock.free_since)
        at("is acquired before its last release at " + std::to_string(lock.free_since));
      lock.seen = true;
      lock.next = std::max(lock.next, order + 1);
      lock.free_since = std::max(lock.free_since, hold.depth == 0 ? hold.end : hold.begin);
      lock.held.erase(order);
    }
  }

  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, Lock> locks_;  ///< by process, paradigm and number
};

}  // namespace

std::span<const RuleEntry> task_rules() {
  static constexpr std::array table{
      RuleEntry{{"E09", "a task is created, runs, completes while it is current, and is complete before the join"},
                make_rule<TaskLife>},
      RuleEntry{{"E10", "the implicit task is current when a team ends, and no switch is to the current task"},
                make_rule<ImplicitTask>},
      RuleEntry{{"E11", "locks are acquired and released in pairs, in order, one holder at a time"}, make_rule<Locks>},
  };
  return table;
}

}  // namespace tracer::check
