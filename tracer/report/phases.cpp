// SPDX-License-Identifier: BSD-3-Clause
// Sums per phase while the trace is replayed.
#include "tracer/report/phases.hpp"

#include <algorithm>
#include <cstdio>

#include "tracer/report/profile.hpp"
#include "tracer/report/units.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {
namespace {

std::uint64_t at(const ActivityTimes& ns, Activity activity) {
  return ns[static_cast<std::size_t>(activity)];
}

const Task* maker_of(const Task& task) {
  if (task.is_explicit) return task.parent.get();
  return task.team != nullptr ? task.team->encountering.get() : nullptr;
}

}  // namespace

Phases::Phases(const Definitions& definitions) : definitions_{definitions} {
  for (const Location& location : definitions.locations) virtual_.push_back(is_virtual(location));
  for (const Region& region : definitions.regions) {
    entries_.emplace_back().is_phase = region.paradigm == Paradigm::user && region.role == RegionRole::code;
    any_ = any_ || entries_.back().is_phase;
  }
}

void Phases::interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) {
  if (virtual_[location]) return;
  ++intervals_;
  constexpr int most_makers = 1000;  // of recursive tasks
  int makers = 0;
  for (const Task* t = &task; t != nullptr && makers < most_makers; t = maker_of(*t), ++makers) {
    for (const Frame& frame : t->stack) {
      Entry& entry = entries_[frame.region];
      if (!entry.is_phase || entry.last_interval == intervals_) continue;
      entry.last_interval = intervals_;
      entry.ns[static_cast<std::size_t>(activity)] += to - from;
      if (activity == Activity::work) entry.work[location] += to - from;
    }
  }
}

void Phases::leave(LocationRef, Task&, const Frame& frame, std::uint64_t time) {
  Entry& entry = entries_[frame.region];
  if (!entry.is_phase) return;
  const std::uint64_t ns = time - frame.enter;
  ++entry.count;
  entry.total += ns;
  entry.longest = std::max(entry.longest, ns);
  entry.shortest = std::min(entry.shortest, ns);
}

void Phases::fill(Report& report) const {
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
    row.balance = balance_of(entry.work, definitions_);
    report.phases.push_back(std::move(row));
  }
  std::stable_sort(report.phases.begin(), report.phases.end(),
                   [](const PhaseRow& a, const PhaseRow& b) { return a.total > b.total; });
}

Table phase_table(const Report& report) {
  Table table{"Phases, as the program names them",
              {{"phase"},
               {"said by"},
               {"count", true},
               {"total", true},
               {"longest", true},
               {"work", true},
               {"waiting", true},
               {"device", true},
               {"threads", true},
               {"max/mean", true}}};
  for (const PhaseRow& row : report.phases) {
    const std::uint64_t waiting =
        at(row.ns, Activity::barrier) + at(row.ns, Activity::task_wait) + at(row.ns, Activity::lock_wait);
    char balance[32];
    std::snprintf(balance, sizeof balance, "%.2f", row.balance.max_over_mean());
    table.add({row.name, row.domain, count_text(row.count), duration_text(row.total), duration_text(row.longest),
               duration_text(at(row.ns, Activity::work)), duration_text(waiting),
               duration_text(at(row.ns, Activity::device)), count_text(row.balance.threads),
               row.balance.threads > 1 ? balance : ""});
  }
  return table;
}

}  // namespace tracer::report
