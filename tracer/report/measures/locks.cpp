// SPDX-License-Identifier: BSD-3-Clause
// Measures each acquisition from the enter of its region, and each hold up to its release.
#include "tracer/report/measures/locks.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "tracer/report/measures/processes.hpp"

namespace tracer::report {
namespace {

void add(LockTotals& sum, const LockTotals& lock) {
  sum.acquisitions += lock.acquisitions;
  sum.contended += lock.contended;
  sum.wait += lock.wait;
  sum.longest_wait = std::max(sum.longest_wait, lock.longest_wait);
  sum.held += lock.held;
  sum.longest_held = std::max(sum.longest_held, lock.longest_held);
}

}  // namespace

/// The locks that were waited for longest, at most as many as there are rows.
std::vector<Locks::Entries::const_iterator> Locks::by_wait() const {
  std::vector<Entries::const_iterator> all;
  all.reserve(locks_.size());
  for (auto lock = locks_.begin(); lock != locks_.end(); ++lock) all.push_back(lock);
  const auto rows = static_cast<std::ptrdiff_t>(std::min(most_rows, all.size()));
  std::partial_sort(all.begin(), all.begin() + rows, all.end(), [](const auto& a, const auto& b) {
    const std::uint64_t a_wait = a->second.totals.wait, b_wait = b->second.totals.wait;
    return a_wait != b_wait ? a_wait > b_wait
                            : std::tie(a->first.owner, a->first.number) < std::tie(b->first.owner, b->first.number);
  });
  all.resize(static_cast<std::size_t>(rows));
  return all;
}

/// What nobody has or waited for long is only summed up; one of them that is taken again counts as another.
Locks::Entry& Locks::entry_of(OwnNumber lock) {
  std::optional<std::uint64_t> long_wait;
  return bound_.entry(
      locks_, lock,
      [&](const Entry& entry) -> std::optional<std::uint64_t> {
        if (!long_wait) long_wait = by_wait().back()->second.totals.wait;
        if (entry.acquired != 0 || entry.totals.wait >= *long_wait) return {};
        return entry.released;
      },
      [&](const Entry& entry) {
        ++forgotten_;
        add(of_forgotten_, entry.totals);
      });
}

void Locks::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type != EventType::acquire_lock && event.type != EventType::release_lock) return;
  Entry& entry = entry_of(replay_.in_process(location, lock_number(event)));
  if (event.type == EventType::release_lock) {
    const std::uint64_t held = entry.acquired == 0 ? 0 : event.time - std::min(event.time, entry.acquired);
    entry.totals.held += held;
    entry.totals.longest_held = std::max(entry.totals.longest_held, held);
    if (entry.taken_at != undefined_ref) at_[entry.taken_at].held += held;
    entry.taken_at = undefined_ref;
    entry.released = event.time;
    entry.acquired = 0;
    return;
  }
  ++entry.totals.acquisitions;
  const LocationState& state = replay_.location(location);
  if (!state.current->stack.empty() && state.current->stack.back().activity == Activity::lock_wait) {
    const Frame& frame = state.current->stack.back();
    const std::uint64_t wait = event.time - std::min(event.time, frame.enter);
    if (entry.region == undefined_ref) entry.region = frame.region;
    entry.taken_at = frame.region;
    ++at_[frame.region].acquisitions;
    entry.totals.wait += wait;
    entry.totals.longest_wait = std::max(entry.totals.longest_wait, wait);
    // Somebody released it while we waited, so it was not free when we came.
    if (entry.released > frame.enter) ++entry.totals.contended;
  }
  entry.acquired = event.time;
}

void Locks::fill(Report& report) const {
  std::uint64_t rest = forgotten_ + locks_.size();
  LockTotals of_rest = of_forgotten_;
  std::unordered_set<OwnNumber, OwnNumber::Hash> shown;
  const std::vector<std::uint32_t> processes = process_groups(definitions_);
  for (const auto& lock : by_wait()) {
    LockRow row;
    static_cast<LockTotals&>(row) = lock->second.totals;
    row.lock = static_cast<std::uint32_t>(lock->first.number);  // without its paradigm
    if (lock->first.owner < processes.size()) row.process = processes[lock->first.owner];
    row.region = lock->second.region;
    row.name = row.region == undefined_ref ? "lock" : definitions_.regions[row.region].name;
    report.locks.push_back(std::move(row));
    shown.insert(lock->first);
    --rest;
  }
  for (const auto& [lock, entry] : locks_)
    if (shown.count(lock) == 0) add(of_rest, entry.totals);
  report.locks_at = at_;
  report.other_locks = rest;
  report.of_other_locks = of_rest;
}

}  // namespace tracer::report
