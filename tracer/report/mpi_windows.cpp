// SPDX-License-Identifier: BSD-3-Clause
// See mpi_windows.hpp.
#include "tracer/report/mpi_windows.hpp"

#include <algorithm>

namespace tracer::report {
namespace {

constexpr std::uint64_t clock_error = 10'000;  ///< ns, that clocks of two hosts may differ by

}  // namespace

MpiWindows::MpiWindows(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : definitions_{definitions}, replay_{replay}, sink_{sink}, world_{definitions} {}

void MpiWindows::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  const bool is_request = event.type == EventType::mpi_rma_request_lock;
  const bool is_release = event.type == EventType::mpi_rma_release_lock;
  const bool is_acquisition = event.type == EventType::mpi_rma_acquire_lock;
  if (!is_request && !is_release && !is_acquisition && event.type != EventType::mpi_rma_collective_end) return;
  const Frame* const call = mpi_call(replay_, location);
  const std::uint32_t rank = world_.rank_of(location);
  if (call == nullptr || rank == undefined_ref || event.sub >= definitions_.windows.size()) return;
  const Part part{rank, call->region, call->enter, event.time};
  if (is_request) {
    open_[location] = {event.sub, true, event.ref, event.a != 0};
  } else if (is_acquisition) {
    acquired(event.sub, event.ref, part);
  } else if (is_release) {
    released(event.sub, event.ref, part);
  } else {
    fence(event.sub, part);
  }
}

/// When MPI_Win_lock is over is known here.
void MpiWindows::leave(LocationRef location, Task&, const Frame& frame, std::uint64_t time) {
  if (open_.empty()) return;
  const auto open = open_.find(location);
  if (open == open_.end() || replay_.classes()[frame.region].construct != Directive::mpi) return;
  asked(open->second.window, open->second, {world_.rank_of(location), frame.region, frame.enter, time});
  open_.erase(open);
}

void MpiWindows::wait(MpiWait kind, const Part& mine, const Part& other, std::uint64_t until) {
  until = std::min(until, mine.leave);
  if (until <= mine.enter || mine.rank == other.rank) return;
  sink_.waited({kind, mine.rank, other.rank, mine.region, other.region, mine.enter, until - mine.enter});
}

void MpiWindows::fence(std::uint32_t window, const Part& part) {
  const auto members = world_.members(definitions_.windows[window].comm);
  if (members.size() < 2) return;
  Fences& series = fences_[window];
  if (series.members == 0)
    series.members = static_cast<std::size_t>(std::count_if(members.begin(), members.end(), [&](std::uint32_t rank) {
      return rank < world_.ranks() && world_.is_known(rank);
    }));
  const std::uint64_t number = series.next[part.rank]++;
  if (number < series.first) return;
  while (number - series.first >= series.instances.size()) series.instances.emplace_back();
  Instance& instance = series.instances[number - series.first];
  instance.parts.push_back(part);
  if (instance.parts.size() == series.members) {
    look_at(instance);
    instance = {.parts = {}, .done = true};
  }
  while (!series.instances.empty() && (series.instances.front().done || series.instances.size() > most_open)) {
    series.instances.pop_front();
    ++series.first;
  }
}

void MpiWindows::look_at(const Instance& instance) {
  const Part& last = *std::max_element(instance.parts.begin(), instance.parts.end(),
                                       [](const Part& a, const Part& b) { return a.enter < b.enter; });
  for (const Part& part : instance.parts)
    if (part.leave + clock_error >= last.enter) wait(MpiWait::fence, part, last, last.enter);
}

bool MpiWindows::excludes(const Lock& one, const Lock& other) const {
  const bool meet = one.target == other.target || one.target == all_targets || other.target == all_targets;
  return meet && !(one.is_shared && other.is_shared);
}

void MpiWindows::asked(std::uint32_t window, const Open& open, const Part& part) {
  Locks& locks = locks_[window];
  Lock& mine = locks[{part.rank, open.target}];
  mine.target = open.target;
  mine.is_shared = open.is_shared;
  mine.is_held = true;
  mine.asked = part;
  mine.shown = {};
  mine.told = false;
  mine.had_since = ~std::uint64_t{0};
  wait_for_lock(locks, mine, part);
}

/// Of a flush or an unlock, at its end.
void MpiWindows::acquired(std::uint32_t window, std::uint32_t target, const Part& part) {
  Locks& locks = locks_[window];
  const auto found = locks.find({part.rank, target});
  if (found == locks.end() || !found->second.is_held) return;
  Lock& mine = found->second;
  mine.had_since = std::min(mine.had_since, part.leave);
  if (mine.told) return;
  wait_for_lock(locks, mine, part);
  if (!mine.told) mine.shown = part;  // the unlock that let it have the lock may go on yet
}

/// Until the last unlock of another that was called, and was over, during `part`.
void MpiWindows::wait_for_lock(const Locks& locks, Lock& mine, const Part& part) {
  const Part* last = nullptr;
  for (const auto& [key, other] : locks) {
    const Part& release = other.released;
    if (key.first == part.rank || release.region == undefined_ref || !excludes(mine, other)) continue;
    if (release.enter > part.enter && release.leave <= part.leave && (last == nullptr || release.enter > last->enter))
      last = &release;
  }
  if (last == nullptr) return;
  wait(MpiWait::lock, part, *last, last->enter);
  mine.told = true;
}

void MpiWindows::released(std::uint32_t window, std::uint32_t target, const Part& part) {
  Locks& locks = locks_[window];
  const auto found = locks.find({part.rank, target});
  if (found == locks.end() || !found->second.is_held) return;
  Lock& mine = found->second;
  for (auto& [key, other] : locks) {
    if (key.first == part.rank || other.told || !excludes(mine, other)) continue;
    for (const Part& call : {other.asked, other.shown}) {
      if (other.told || call.enter >= part.enter || call.leave < part.enter) continue;
      // It has had the lock before this unlock was over, and may have given it back. Unless this one came later.
      if (!other.is_held && mine.had_since >= call.leave) continue;
      wait(MpiWait::lock, call, part, part.enter);
      other.told = true;
    }
  }
  mine.is_held = false;
  mine.released = part;
}

}  // namespace tracer::report
