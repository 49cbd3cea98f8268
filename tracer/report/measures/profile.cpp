// SPDX-License-Identifier: BSD-3-Clause
// Sums times per region and per thread while the trace is replayed.
#include "tracer/report/measures/profile.hpp"

#include <algorithm>

#include "tracer/report/measures/processes.hpp"
#include "tracer/report/measures/teams.hpp"
#include "tracer/thread_end.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::report {
Balance balance_of(const PerLocation<std::uint64_t>& ns, const Replacements& replacements,
                   const Definitions& definitions) {
  PerLocation<std::uint64_t> together;
  ns.for_each([&](LocationRef location, std::uint64_t value) { together[replacements.first_of(location)] += value; });
  Balance balance;
  LocationRef slowest = undefined_ref;
  together.for_each([&](LocationRef location, std::uint64_t value) {
    balance.min = balance.threads++ == 0 ? value : std::min(balance.min, value);
    balance.sum += value;
    if (value > balance.max || slowest == undefined_ref) slowest = location;
    balance.max = std::max(balance.max, value);
  });
  if (slowest != undefined_ref) balance.slowest = name_in_job(definitions, slowest);
  return balance;
}

Profile::Profile(const Definitions& definitions, const Replay& replay, const Replacements& replacements)
    : definitions_{definitions}, replay_{replay}, replacements_{replacements} {
  entries_.resize(definitions.regions.size());
  threads_.resize(definitions.locations.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    threads_[i].location = static_cast<LocationRef>(i);
    threads_[i].name = definitions.locations[i].name;
    threads_[i].is_stream = definitions.locations[i].kind != LocationKind::cpu_thread;
    threads_[i].ended = thread_end(definitions.locations[i]);
  }
}

void Profile::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  ++threads_[location].events;
  ++event_counts_[static_cast<std::size_t>(event.type)];
}

void Profile::interval(LocationRef location, Task&, Activity activity, std::uint64_t from, std::uint64_t to) {
  threads_[location].ns[static_cast<std::size_t>(activity)] += to - from;
}

void Profile::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (!task.is_explicit && task.team != nullptr && task.team->helps) return;  // no construct of the program's
  ThreadRow& thread = threads_[location];
  if (thread.last_time != time) {
    thread.last_time = time;
    thread.last_region = frame.region;
  }
  Entry& entry = entries_[frame.region];
  // A suspended explicit task spends no time in its regions; what an implicit task waits for, it does.
  const std::uint64_t ns = task.is_explicit ? frame.active : time - frame.enter;
  ++entry.count;
  entry.total += ns;
  entry.exclusive += frame.exclusive;
  entry.waiting += frame.waiting;
  entry.longest = std::max(entry.longest, ns);
  entry.shortest = std::min(entry.shortest, ns);
  const Directive construct = replay_.classes()[frame.region].construct;
  const std::uint64_t busy = frame.active + frame.in_teams;
  if (construct != Directive::parallel) entry.busy[location] += busy;
  if (is_shared(construct) && task.team != nullptr) share(*task.team, location, frame.region, busy);
}

std::uint64_t Profile::lost_in(const Instance& instance, std::uint32_t threads) {
  return instance.max - instance.sum / std::max(1u, threads);
}

/// Which member of the team the location is.
std::size_t Profile::member_of(const Team& team, LocationRef location) const {
  const auto& contexts = replay_.location(location).contexts;
  if (!contexts.empty() && contexts.back().team.get() == &team) return contexts.back().member;
  const auto found = std::find_if(team.members.begin(), team.members.end(),
                                  [&](const Team::Member& member) { return member.location == location; });
  return static_cast<std::size_t>(found - team.members.begin());
}

void Profile::share(Team& team, LocationRef location, RegionRef region, std::uint64_t ns) {
  Shared& shared = shared_[&team][region];
  const std::size_t member = member_of(team, location);
  if (member >= shared.executed.size()) shared.executed.resize(std::max<std::size_t>(member + 1, team.size));
  const std::uint64_t index = shared.executed[member]++;
  if (index < shared.folded) return;
  if (index - shared.folded >= shared.open.size()) shared.open.resize(index - shared.folded + 1);
  Instance& instance = shared.open[index - shared.folded];
  ++instance.threads;
  instance.max = std::max(instance.max, ns);
  instance.sum += ns;
  while (!shared.open.empty() && shared.open.front().threads >= team.size) {
    entries_[region].lost += lost_in(shared.open.front(), team.size);
    shared.open.pop_front();
    ++shared.folded;
  }
}

void Profile::team_ended(Team& team) {
  if (const auto found = shared_.find(&team); found != shared_.end()) {
    for (const auto& [region, shared] : found->second) {
      for (const Instance& instance : shared.open)
        entries_[region].lost += lost_in(instance, std::max(team.size, instance.threads));
    }
    shared_.erase(found);
  }
  if (team.region == undefined_ref || team.members.empty()) return;
  Entry& entry = entries_[team.region];
  Instance instance;
  for (const Team::Member& member : team.members) {
    const std::uint64_t busy = busy_of(member);
    entry.busy[member.location] += busy;
    instance.max = std::max(instance.max, busy);
    instance.sum += busy;
  }
  entry.lost += lost_in(instance, static_cast<std::uint32_t>(team.members.size()));
}

void Profile::fill(Report& report) const {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.count == 0) continue;
    const RegionClass& region = replay_.classes()[i];
    RegionRow row;
    row.region = static_cast<RegionRef>(i);
    row.name = definitions_.regions[i].name;
    row.label = region.label;
    row.file = definitions_.regions[i].source_file;
    row.function = definitions_.regions[i].description;
    row.line = definitions_.regions[i].begin_line;
    row.count = entry.count;
    row.total = entry.total;
    row.exclusive = entry.exclusive;
    row.waiting = entry.waiting;
    row.longest = entry.longest;
    row.shortest = entry.shortest;
    row.balance = balance_of(entry.busy, replacements_, definitions_);
    row.balance.lost = entry.lost;
    report.regions.push_back(std::move(row));
  }
  std::stable_sort(report.regions.begin(), report.regions.end(),
                   [](const RegionRow& a, const RegionRow& b) { return a.exclusive > b.exclusive; });
  for (const ThreadRow& row : threads_)  // those of ranges come last
    if (is_shown(definitions_.locations[row.location])) report.thread_rows.push_back(row);
  for (std::size_t i = 0; i < event_types; ++i) {
    if (event_counts_[i] != 0) report.event_counts[name_of(static_cast<EventType>(i))] = event_counts_[i];
  }
}

}  // namespace tracer::report
