// SPDX-License-Identifier: BSD-3-Clause
// Adds up the executions of each parallel construct.
#include "tracer/report/measures/teams.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "tracer/report/measures/profile.hpp"

namespace tracer::report {

std::uint64_t busy_of(const Team::Member& member) {
  std::uint64_t busy = member.nested;
  for (std::size_t i = 0; i < std::size(member.ns); ++i)
    if (is_on_path(static_cast<Activity>(i))) busy += member.ns[i];
  return busy;
}

void Teams::interval(LocationRef location, Task&, Activity activity, std::uint64_t from, std::uint64_t to) {
  const auto& contexts = replay_.location(location).contexts;
  if (contexts.empty()) return;
  const Membership& context = contexts.back();
  context.team->members[context.member].ns[static_cast<std::size_t>(activity)] += to - from;
  for (std::size_t outer = 0; outer + 1 < contexts.size(); ++outer)
    contexts[outer].team->members[contexts[outer].member].nested += to - from;
}

void Teams::team_ended(Team& team) {
  if (team.region == undefined_ref || team.members.empty() || team.helps) return;
  Entry& entry = entries_[team.region];
  ParallelRow& row = entry.row;
  const std::uint64_t wall = team.end - team.begin;
  ++row.count;
  row.wall += wall;
  row.longest = std::max(row.longest, wall);
  row.threads = std::max<std::uint64_t>(row.threads, team.members.size());
  // A path that came from another process by a message may be longer than all that was done here before.
  row.critical_path += std::min(team.final_path.ns - std::min(team.final_path.ns, team.first_path.ns), wall);
  std::uint64_t max = 0, sum = 0;
  for (const Team::Member& member : team.members) {
    ActivityTimes& times = entry.members[member.location];
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] += member.ns[i];
      row.ns[i] += member.ns[i];
    }
    row.work += member.ns[static_cast<std::size_t>(Activity::work)];
    const std::uint64_t busy = busy_of(member);
    entry.busy[member.location] += busy;
    max = std::max(max, busy);
    sum += busy;
  }
  const std::uint64_t even = sum / team.members.size();
  row.balance.lost += max - even;
  for (const Team::Member& member : team.members) {
    Surplus& surplus = entry.surplus[member.location];
    surplus.ns += static_cast<std::int64_t>(busy_of(member)) - static_cast<std::int64_t>(even);
    surplus.master = team.master;
  }
}

/// Teams of several masters at a time have a thread with most to do each.
std::uint64_t Teams::uneven(const Entry& entry) const {
  std::map<LocationRef, Surplus> together;  // threads that took each other's place
  entry.surplus.for_each([&](LocationRef location, const Surplus& surplus) {
    Surplus& here = together[replacements_.first_of(location)];
    here.ns += surplus.ns;
    here.master = surplus.master;
  });
  std::map<LocationRef, std::int64_t> most;  // by master
  for (const auto& [location, surplus] : together) {
    std::int64_t& here = most[surplus.master];
    here = std::max(here, surplus.ns);
  }
  std::uint64_t ns = 0;
  for (const auto& [master, here] : most) ns += static_cast<std::uint64_t>(here) * entry.row.threads;
  return ns;
}

void Teams::fill(Report& report) const {
  for (const auto& [region, entry] : entries_) {
    ParallelRow row = entry.row;
    row.region = region;
    row.name = definitions_.regions[region].name;
    row.members.reserve(entry.members.size());
    entry.members.for_each([&](LocationRef location, const ActivityTimes& ns) {
      row.members.push_back({location, ns});
    });
    const std::uint64_t lost = row.balance.lost;
    row.balance = balance_of(entry.busy, replacements_, definitions_);
    row.balance.lost = lost;
    row.uneven = uneven(entry);
    report.parallels.push_back(std::move(row));
  }
  std::stable_sort(report.parallels.begin(), report.parallels.end(),
                   [](const ParallelRow& a, const ParallelRow& b) { return a.wall > b.wall; });
}

}  // namespace tracer::report
