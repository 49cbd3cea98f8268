// SPDX-License-Identifier: BSD-3-Clause
// Cycles among waiting threads, and the members that a barrier lacks.
#include "tracer/ompd/waits.hpp"

#include <algorithm>
#include <cinttypes>
#include <map>
#include <set>

#include "tracer/base/formatted.hpp"

namespace tracer::ompd {
namespace {

bool waits_for_lock(const ThreadView& thread) {
  switch (thread.activity) {
    case Activity::lock:
    case Activity::nest_lock:
    case Activity::critical:
    case Activity::ordered:
    case Activity::atomic:
      return true;
    default:
      return false;
  }
}

bool waits_at_barrier(const ThreadView& thread) {
  return thread.activity == Activity::barrier || thread.activity == Activity::implicit_barrier;
}

/// Someone who may still do something that ends another's wait.
bool can_go_on(const ThreadView& thread) {
  return thread.activity == Activity::working || thread.activity == Activity::unknown ||
         thread.activity == Activity::runtime || thread.activity == Activity::target;
}

std::string name_of(const ThreadView& thread) {
  const std::string number =
      !thread.regions.empty() && thread.regions.front().level > 0 && thread.regions.front().thread_number >= 0
          ? std::to_string(thread.regions.front().thread_number)
          : std::to_string(thread.number);
  return "thread " + number + " (LWP " + std::to_string(thread.os_thread) + ")";
}

std::string at(const ThreadView& thread) {
  return thread.position ? " at " + text_of(*thread.position) : "";
}

std::string lock_name(const ThreadView& thread) {
  const char* what = thread.activity == Activity::critical    ? "the critical section"
                     : thread.activity == Activity::nest_lock ? "the nestable lock"
                     : thread.activity == Activity::ordered   ? "its turn in the ordered region"
                     : thread.activity == Activity::atomic    ? "the atomic operation"
                                                              : "the lock";
  return thread.wait_id == 0 ? what : formatted("%s 0x%" PRIx64, what, thread.wait_id);
}

std::string what_it_does(const ThreadView& thread) {
  if (waits_for_lock(thread)) return "waits for " + lock_name(thread) + at(thread);
  return words(thread.activity) + at(thread);
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i)
    text += (i == 0 ? "" : i + 1 == items.size() ? " and " : ", ") + items[i];
  return text;
}

class Analysis {
 public:
  explicit Analysis(const Snapshot& snapshot) : snapshot_(snapshot) {
    for (const ThreadView& thread : snapshot.threads) {
      if (thread.number < 0) continue;
      if (can_go_on(thread)) nobody_can_ = false;
      if (waits_for_lock(thread)) lockers_.push_back(&thread);
    }
  }

  std::vector<std::string> all() {
    find_owner_cycles();
    find_stuck_locks();
    find_barriers();
    find_task_waits();
    return std::move(findings_);
  }

 private:
  const ThreadView* by_number(std::int64_t number) const {
    for (const ThreadView& thread : snapshot_.threads) {
      if (number >= 0 && thread.number == number) return &thread;
    }
    return nullptr;
  }

  /// Where the lock objects contain their holders, the cycle is certain.
  void find_owner_cycles() {
    for (const ThreadView* start : lockers_) {
      if (in_cycle_.contains(start)) continue;
      std::vector<const ThreadView*> path{start};
      const ThreadView* next = by_number(start->owner);
      while (next != nullptr && waits_for_lock(*next) && std::find(path.begin(), path.end(), next) == path.end()) {
        path.push_back(next);
        next = by_number(next->owner);
      }
      if (next != start) continue;
      std::string text = "Deadlock: ";
      for (std::size_t i = 0; i < path.size(); ++i) {
        in_cycle_.insert(path[i]);
        text += (i == 0 ? name_of(*path[i]) + " " : ", which ") + what_it_does(*path[i]) + ", held by " +
                name_of(*path[(i + 1) % path.size()]);
      }
      findings_.push_back(path.size() == 1 ? text + ": by itself" : text);
    }
  }

  /// Where they do not, there is a deadlock when nobody is left who could release one.
  void find_stuck_locks() {
    std::vector<const ThreadView*> rest;
    for (const ThreadView* thread : lockers_) {
      if (!in_cycle_.contains(thread)) rest.push_back(thread);
    }
    if (rest.empty()) return;
    std::vector<std::string> waits;
    std::set<std::uint64_t> locks;
    for (const ThreadView* thread : rest) {
      waits.push_back(name_of(*thread) + " " + what_it_does(*thread) + holder(*thread));
      if (thread->wait_id != 0) locks.insert(thread->wait_id);
    }
    if (!nobody_can_) {
      for (const auto& wait : waits) findings_.push_back(capital(wait) + ".");
      return;
    }
    std::string text = "Deadlock: " + list(waits) + "; no other OpenMP thread is running that could release ";
    text += rest.size() == 1 ? "it" : "them";
    if (rest.size() == 2 && locks.size() == 2)
      text += ": most likely each of the two holds what the other waits for";
    else if (rest.size() == 1)
      text += ": who took it waits elsewhere or never released it";
    findings_.push_back(text + ".");
  }

  std::string holder(const ThreadView& thread) const {
    const ThreadView* owner = by_number(thread.owner);
    return owner == nullptr ? "" : ", held by " + name_of(*owner) + ", which " + what_it_does(*owner);
  }

  static std::string capital(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }

  void find_barriers() {
    std::map<std::size_t, std::vector<const ThreadView*>> waiting;  // by team
    for (const ThreadView& thread : snapshot_.threads) {
      if (waits_at_barrier(thread) && !thread.regions.empty()) waiting[thread.regions.front().team].push_back(&thread);
    }
    for (const auto& [team, threads] : waiting) describe_barrier(team, threads);
  }

  void describe_barrier(std::size_t team, const std::vector<const ThreadView*>& threads) {
    const RegionView& region = threads.front()->regions.front();
    std::map<std::string, std::vector<std::string>> places;  // where -> who
    std::set<std::int64_t> present;
    for (const ThreadView* thread : threads) {
      const bool at_end = thread->activity == Activity::implicit_barrier && !thread->position;
      places[at_end ? " that ends the region" : at(*thread)].push_back(name_of(*thread));
      present.insert(thread->regions.front().thread_number);
    }
    std::vector<std::string> waits, missing;
    for (const auto& [place, names] : places)
      waits.push_back(list(names) + (names.size() == 1 ? " waits" : " wait") + " at the barrier" + place);
    for (std::int64_t i = 0; i < region.team_size && missing.size() < 64; ++i) {
      if (!present.contains(i)) missing.push_back(describe_member(team, i));
    }
    if (missing.empty() && places.size() < 2) return;  // complete: about to go on
    std::string text = "In the team of " + std::to_string(region.team_size) +
                       (region.function ? " at " + text_of(*region.function) : "") + ", " + list(waits);
    if (!missing.empty()) text += "; missing: " + list(missing);
    if (missing.empty() && nobody_can_)
      text += ": all are there, but at different barriers, and each waits for the others";
    findings_.push_back(text + ".");
  }

  std::string describe_member(std::size_t team, std::int64_t number) const {
    for (const ThreadView& thread : snapshot_.threads) {
      for (const RegionView& region : thread.regions) {
        if (region.team != team || region.thread_number != number) continue;
        const bool inner = &region != &thread.regions.front();
        return "thread " + std::to_string(number) + " (LWP " + std::to_string(thread.os_thread) + "), which " +
               what_it_does(thread) + (inner ? ", in an inner parallel region" : "");
      }
    }
    return "thread " + std::to_string(number) + ", which is not to be seen";
  }

  void find_task_waits() {
    for (const ThreadView& thread : snapshot_.threads) {
      if (thread.activity != Activity::taskwait && thread.activity != Activity::taskgroup) continue;
      std::vector<std::string> busy;
      for (const ThreadView& other : snapshot_.threads) {
        if (&other == &thread || other.tasks.empty() || other.tasks.front().implicit.value_or(true)) continue;
        busy.push_back(name_of(other) + ", which " + what_it_does(other));
      }
      findings_.push_back(
          capital(name_of(thread)) + " " + what_it_does(thread) +
          (busy.empty() ? "; no other thread executes a task" : "; tasks are executed by " + list(busy)) + ".");
    }
  }

  const Snapshot& snapshot_;
  bool nobody_can_ = true;
  std::vector<const ThreadView*> lockers_;
  std::set<const ThreadView*> in_cycle_;
  std::vector<std::string> findings_;
};

}  // namespace

std::vector<std::string> find_waits(const Snapshot& snapshot) {
  return Analysis(snapshot).all();
}

}  // namespace tracer::ompd
