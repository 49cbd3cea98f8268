// SPDX-License-Identifier: BSD-3-Clause
// See windows.hpp.
#include "tracer/report/mpi/windows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

namespace tracer::report {

MpiWindows::MpiWindows(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : definitions_{definitions}, replay_{replay}, sink_{sink}, world_{definitions} {}

void MpiWindows::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  const bool is_request = event.type == EventType::mpi_rma_request_lock;
  const bool is_release = event.type == EventType::mpi_rma_release_lock;
  const bool is_acquisition = event.type == EventType::mpi_rma_acquire_lock;
  if (!is_request && !is_release && !is_acquisition && event.type != EventType::mpi_rma_collective_end) return;
  const Frame* const call = mpi_call(replay_, location);
  const std::uint32_t rank = world_.rank_of(location);
  if (call == nullptr || rank == undefined_ref || event.sub >= definitions_.windows.size()) return;
  const MpiCall part{rank, call->region, call->enter, event.time};
  if (is_request) {
    open_[location] = {event.sub, event.ref, event.a != 0};
  } else if (is_acquisition) {
    acquired(event.sub, event.ref, part);
  } else if (is_release) {
    released(event.sub, event.ref, part);
  } else {
    fence(event.sub, event.ref, part);
  }
}

/// When MPI_Win_lock is over is known here.
void MpiWindows::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (open_.empty()) return;
  const auto open = open_.find(location);
  if (open == open_.end() || replay_.classes()[frame.region].construct != Directive::mpi) return;
  asked(location, open->second, {world_.rank_of(location), frame.region, frame.enter, time});
  open_.erase(open);
}

void MpiWindows::fence(std::uint32_t window, std::uint32_t what, const MpiCall& part) {
  const CommRef comm = definitions_.windows[window].comm;
  if (world_.members(comm).size() < 2) return;
  MpiRounds<Fence>& fences = fences_[window];
  if (fences.members == 0) fences.members = world_.members_with_trace(comm);
  Fence* const fence = fences.next(part.rank, what);
  if (fence == nullptr) return;
  fence->parts.push_back(part);
  if (fences.is_whole(*fence)) {
    look_at(*fence);
    *fence = {.what = what, .parts = {}, .done = true};
  }
  fences.forget(most_open);
}

std::uint64_t MpiWindows::out_of_step() const {
  return static_cast<std::uint64_t>(
      std::count_if(fences_.begin(), fences_.end(), [](const auto& of) { return of.second.is_out_of_step(); }));
}

void MpiWindows::look_at(const Fence& fence) {
  const MpiCall& last = *std::max_element(fence.parts.begin(), fence.parts.end(),
                                          [](const MpiCall& a, const MpiCall& b) { return a.enter < b.enter; });
  for (const MpiCall& part : fence.parts)
    if (part.leave + mpi_clock_error >= last.enter) report_wait(sink_, MpiWait::fence, part, last);
}

void MpiWindows::Releases::add(const MpiCall& call) {
  const auto is_later_than = [&](const MpiCall& other) {
    return call.enter > other.enter || (call.enter == other.enter && call.rank < other.rank);
  };
  if (is_later_than(last)) {
    if (call.rank != last.rank) before = last;
    last = call;
  } else if (call.rank != last.rank && is_later_than(before)) {
    before = call;
  }
}

/// nullptr: that rank has none.
MpiWindows::Lock* MpiWindows::held_by(std::uint32_t window, std::uint32_t target, std::uint32_t rank) {
  for (Locks& locks : locks_[window].locks) {
    const auto of_target = locks.by_target.find(target);
    if (of_target == locks.by_target.end()) continue;
    const auto found = of_target->second.find(rank);
    if (found != of_target->second.end() && found->second.is_held) return &found->second;
  }
  return nullptr;
}

/// Other ranks' locks for the same target, unless both are shared.
template <class Visit>
void MpiWindows::for_those_excluded(OfWindow& window, const Lock& mine, std::uint32_t rank, const Visit& visit) {
  const auto look_at = [&](OfTarget& of_target) {
    for (auto& [other, lock] : of_target)
      if (other != rank) visit(lock);
  };
  for (Locks& locks : window.against(mine.is_shared)) {
    if (mine.target == all_targets) {
      for (auto& [target, of_target] : locks.by_target) look_at(of_target);
      continue;
    }
    for (const std::uint32_t target : {mine.target, all_targets})
      if (const auto found = locks.by_target.find(target); found != locks.by_target.end()) look_at(found->second);
  }
}

/// Locks that were given back, and whose calls were over before any unlock that is to come was called.
void MpiWindows::forget(OfWindow& window, std::uint64_t now) const {
  if (window.count < window.forget_at) return;
  std::uint64_t from = now;
  for (const Locks& locks : window.locks)
    for (const auto& [target, of_target] : locks.by_target)
      for (const auto& [rank, lock] : of_target)
        if (const Frame* const call = lock.is_held ? mpi_call(replay_, lock.location) : nullptr)
          from = std::min(from, call->enter);
  window.count = 0;
  for (Locks& locks : window.locks) {
    for (auto& [target, of_target] : locks.by_target) {
      std::erase_if(of_target, [from](const auto& of) {
        return !of.second.is_held && std::max(of.second.asked.leave, of.second.shown.leave) < from;
      });
      window.count += of_target.size();
    }
    std::erase_if(locks.by_target, [](const auto& of) { return of.second.empty(); });
  }
  window.forget_at = few_locks + 2 * window.count;
}

void MpiWindows::asked(LocationRef location, const Open& open, const MpiCall& part) {
  OfWindow& window = locks_[open.window];
  forget(window, part.leave);
  Locks& others = window.of(!open.is_shared);
  if (const auto found = others.by_target.find(open.target); found != others.by_target.end())
    window.count -= found->second.erase(part.rank);
  OfTarget& of_target = window.of(open.is_shared).by_target[open.target];
  window.count += of_target.contains(part.rank) ? 0 : 1;
  Lock& mine = of_target[part.rank];
  mine = {};
  mine.target = open.target;
  mine.is_shared = open.is_shared;
  mine.is_held = true;
  mine.location = location;
  mine.asked = part;
  wait_for_lock(window, mine, part);
}

/// Of a flush or an unlock, at its end.
void MpiWindows::acquired(std::uint32_t window, std::uint32_t target, const MpiCall& part) {
  Lock* const mine = held_by(window, target, part.rank);
  if (mine == nullptr) return;
  mine->had_since = std::min(mine->had_since, part.leave);
  if (mine->is_reported) return;
  wait_for_lock(locks_[window], *mine, part);
  if (!mine->is_reported) mine->shown = part;  // the unlock that let it have the lock may go on yet
}

/// Until the last unlock of another that was called, and was over, during `part`.
void MpiWindows::wait_for_lock(OfWindow& window, Lock& mine, const MpiCall& part) {
  const MpiCall* last = nullptr;
  const auto look_at = [&](const Releases& releases) {
    const MpiCall& release = releases.of_others(part.rank);
    if (release.region == undefined_ref || release.enter <= part.enter || release.leave > part.leave) return;
    if (last == nullptr || release.enter > last->enter) last = &release;
  };
  for (const Locks& locks : window.against(mine.is_shared)) {
    if (mine.target == all_targets) {
      look_at(locks.all_releases);
      continue;
    }
    for (const std::uint32_t target : {mine.target, all_targets})
      if (const auto found = locks.releases.find(target); found != locks.releases.end()) look_at(found->second);
  }
  if (last == nullptr) return;
  report_wait(sink_, MpiWait::lock, part, *last);
  mine.is_reported = true;
}

void MpiWindows::released(std::uint32_t window, std::uint32_t target, const MpiCall& part) {
  Lock* const mine = held_by(window, target, part.rank);
  if (mine == nullptr) return;
  OfWindow& of_window = locks_[window];
  for_those_excluded(of_window, *mine, part.rank, [&](Lock& other) {
    for (const MpiCall& call : {other.asked, other.shown}) {
      if (other.is_reported || call.enter >= part.enter || call.leave < part.enter) continue;
      // It has had the lock before this unlock was over, and may have given it back. Unless this one came later.
      if (!other.is_held && mine->had_since >= call.leave) continue;
      report_wait(sink_, MpiWait::lock, call, part);
      other.is_reported = true;
    }
  });
  mine->is_held = false;
  Locks& own = of_window.of(mine->is_shared);
  own.releases[target].add(part);
  own.all_releases.add(part);
}

}  // namespace tracer::report
