// SPDX-License-Identifier: BSD-3-Clause
// Measures each acquisition from the enter of its region, and each hold up to its release.
#include "tracer/report/locks.hpp"

#include <algorithm>

namespace tracer::report {

void Locks::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type != EventType::acquire_lock && event.type != EventType::release_lock) return;
  const std::uint64_t process = definitions_.locations[location].group;  // each numbers its own
  Entry& entry = locks_[process << 32 | event.a];
  if (event.type == EventType::release_lock) {
    const std::uint64_t held = entry.acquired == 0 ? 0 : event.time - std::min(event.time, entry.acquired);
    entry.row.held += held;
    entry.row.longest_held = std::max(entry.row.longest_held, held);
    entry.released = event.time;
    entry.acquired = 0;
    return;
  }
  ++entry.row.acquisitions;
  const LocationState& state = replay_.location(location);
  if (!state.current->stack.empty() && state.current->stack.back().activity == Activity::lock_wait) {
    const Frame& frame = state.current->stack.back();
    const std::uint64_t wait = event.time - std::min(event.time, frame.enter);
    if (entry.region == undefined_ref) entry.region = frame.region;
    entry.row.wait += wait;
    entry.row.longest_wait = std::max(entry.row.longest_wait, wait);
    // Somebody released it while we waited, so it was not free when we came.
    if (entry.released > frame.enter) ++entry.row.contended;
  }
  entry.acquired = event.time;
}

void Locks::fill(Report& report) const {
  for (const auto& [lock, entry] : locks_) {
    LockRow row = entry.row;
    row.lock = lock & 0xffffffffu;
    row.name = entry.region == undefined_ref ? "lock" : definitions_.regions[entry.region].name;
    report.locks.push_back(std::move(row));
  }
  std::sort(report.locks.begin(), report.locks.end(),
            [](const LockRow& a, const LockRow& b) { return a.wait != b.wait ? a.wait > b.wait : a.lock < b.lock; });
}

}  // namespace tracer::report
