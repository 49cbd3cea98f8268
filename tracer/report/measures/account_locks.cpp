// SPDX-License-Identifier: BSD-3-Clause
// Waiting for locks, by who had them meanwhile.
#include <algorithm>

#include "tracer/report/measures/account.hpp"

namespace tracer::report {

void Accountant::lock(LocationRef location, State& state, const Event& event) {
  const auto& stack = replay_.location(location).current->stack;
  const RegionRef region = stack.empty() ? undefined_ref : stack.back().region;
  Process& process = process_of(state);
  Holds& holds = process.holds[lock_number(event)];
  if (event.type == EventType::release_lock) {
    holds.released(event.time);
    // Programs may have a lock for each element of their data.
    constexpr std::size_t most = std::size_t{1} << 16;
    if (process.lock_waiters == 0 || process.holds.size() > most) process.holds.erase(lock_number(event));
  } else {
    if (state.lock_from != 0 && region != undefined_ref) lock_taken(state, region, holds, event.time);
    end_lock_wait(state);
    if (process.lock_waiters == 0) holds.forget();
    holds.acquired(region, event.time);
  }
  state.lock_from = state.lock_ns = 0;
}

/// The wait is one, at the region; its time is by those who had the lock meanwhile.
void Accountant::lock_taken(const State& state, RegionRef region, const Holds& holds, std::uint64_t time) {
  const std::uint64_t waited = time - std::min(time, state.lock_from);
  bool is_first = true;
  for (const auto& [holder, ns] : holds.during(state.lock_from, time, state.lock_ns)) {
    AccountRow& row = detail(place_of_lock(region), region, holder, parallel_of(state));
    row.ns += ns;
    row.threads = std::max(row.threads, state.members.empty() ? 1 : state.members.back().team->size);
    if (is_first) {
      ++row.count;
      if (waited > row.longest) row.longest = waited, row.longest_at = time;
    }
    is_first = false;
  }
}

void Accountant::end_lock_wait(State& state) {
  if (!state.waits_for_lock) return;
  state.waits_for_lock = false;
  --process_of(state).lock_waiters;
}

Place Accountant::place_of_lock(RegionRef region) const {
  const RegionRole role = definitions_.regions[region].role;
  const bool exclusive = role == RegionRole::critical || role == RegionRole::atomic || role == RegionRole::ordered;
  return exclusive ? Place::exclusive : Place::locks;
}

void Accountant::lock_wait(State& state, const Task& task, std::uint64_t ns, std::uint64_t to) {
  const RegionRef region = task.stack.back().region;
  charge(state, place_of_lock(region), ns);
  if (!state.members.empty()) state.members.back().spent.add(region, ns);
  if (state.lock_from == 0) state.lock_from = to - ns;
  state.lock_ns += ns;
}

}  // namespace tracer::report
