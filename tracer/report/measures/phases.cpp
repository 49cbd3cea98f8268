// SPDX-License-Identifier: BSD-3-Clause
// Sums per phase while the trace is replayed.
#include "tracer/report/measures/phases.hpp"

#include <algorithm>

#include "tracer/report/measures/profile.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {
namespace {

const Task* maker_of(const Task& task) {
  if (task.is_explicit) return task.parent.get();
  return task.team != nullptr ? task.team->encountering.get() : nullptr;
}

}  // namespace

Phases::Phases(const Definitions& definitions, const Replay& replay, const Replacements& replacements)
    : definitions_{definitions},
      replay_{replay},
      replacements_{replacements},
      host_operations_{definitions},
      running_(definitions.locations.size()) {
  for (const Location& location : definitions.locations) virtual_.push_back(is_virtual(location));
  for (const Region& region : definitions.regions) {
    entries_.emplace_back().is_phase = is_phase(region);
    any_ = any_ || entries_.back().is_phase;
  }
}

template <class Body>
void Phases::for_each_open(const Task& task, Body&& body) {
  ++visits_;
  constexpr int most_makers = 1000;  // of recursive tasks
  int makers = 0;
  for (const Task* t = &task; t != nullptr && makers < most_makers; t = maker_of(*t), ++makers) {
    for (const Frame& frame : t->stack) {
      Entry& entry = entries_[frame.region];
      if (!entry.is_phase || entry.last_visit == visits_) continue;
      entry.last_visit = visits_;
      body(frame.region, entry);
    }
  }
}

void Phases::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  if (virtual_[location]) return;
  for_each_open(task, [&](RegionRef, Entry& entry) {
    entry.ns[static_cast<std::size_t>(activity)] += to - from;
    if (activity == Activity::work) entry.work[location] += to - from;
  });
}

void Phases::device_operation(LocationRef location, std::uint64_t id) {
  if (id == 0) return;
  if (definitions_.locations[location].kind == LocationKind::cpu_thread) {
    Open open;
    for_each_open(*replay_.location(location).current, [&](RegionRef phase, Entry&) { open.push_back(phase); });
    if (!open.empty()) submits_[replay_.in_process(location, id)] = std::move(open);
    return;
  }
  const auto found = submits_.find(replay_.in_process(location, id));
  if (found == submits_.end()) return;
  running_[location] = std::move(found->second);
  submits_.erase(found);
}

void Phases::other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint64_t host_op = host_operations_.of(event, attributes);
  switch (event.type) {
    case EventType::enter:
    case EventType::parameter_uint:
      return device_operation(location, host_op);
    case EventType::rma_get:
    case EventType::rma_put:
      if (!has_copies(definitions_.locations[location])) return;
      device_operation(location, host_op);
      copies_.begin(location, event.b, {event.time, std::move(running_[location])});
      running_[location].clear();
      return;
    case EventType::rma_op_complete_blocking:
      copies_.end(location, event.b,
                  [&](const Copy& copy) { credit(copy.phases, event.time - std::min(event.time, copy.begin)); });
      return;
    default:
      return;
  }
}

void Phases::credit(const Open& phases, std::uint64_t ns) {
  for (const RegionRef phase : phases) entries_[phase].operations += ns;
}

void Phases::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  const std::uint64_t ns = time - frame.enter;
  if (definitions_.locations[location].kind != LocationKind::cpu_thread && task.stack.empty()) {
    credit(running_[location], ns);
    running_[location].clear();
  }
  Entry& entry = entries_[frame.region];
  if (!entry.is_phase) return;
  ++entry.count;
  entry.total += ns;
  entry.longest = std::max(entry.longest, ns);
  entry.shortest = std::min(entry.shortest, ns);
}

std::vector<PhaseRow> Phases::rows() const {
  std::vector<PhaseRow> rows;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (!entry.is_phase || entry.count == 0) continue;
    PhaseRow row;
    row.region = static_cast<RegionRef>(i);
    row.name = definitions_.regions[i].name;
    row.domain = definitions_.regions[i].description;
    row.count = entry.count;
    row.total = entry.total;
    row.longest = entry.longest;
    row.shortest = entry.shortest;
    row.ns = entry.ns;
    row.mpi = at(entry.ns, Activity::mpi);
    row.operations = entry.operations;
    row.balance = balance_of(entry.work, replacements_, definitions_);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const PhaseRow& a, const PhaseRow& b) { return a.total > b.total; });
  return rows;
}

std::uint64_t waiting_of(const PhaseRow& row) {
  return at(row.ns, Activity::barrier) + at(row.ns, Activity::task_wait) + at(row.ns, Activity::lock_wait);
}

PhaseTotals totals_of(const PhaseRow& row) {
  return {.region = row.region,
          .count = row.count,
          .total = row.total,
          .longest = row.longest,
          .shortest = row.shortest,
          .work = at(row.ns, Activity::work),
          .waiting = waiting_of(row),
          .runtime = at(row.ns, Activity::runtime),
          .device_wait = at(row.ns, Activity::device),
          .mpi = row.mpi,
          .operations = row.operations,
          .threads = row.balance.threads,
          .max_over_mean = row.balance.max_over_mean()};
}

}  // namespace tracer::report
