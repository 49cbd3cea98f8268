// SPDX-License-Identifier: BSD-3-Clause
// See replacements.hpp.
#include "tracer/report/measures/replacements.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "tracer/thread_end.hpp"

namespace tracer::report {
namespace {

std::size_t teams_around(const Team& team) {
  std::size_t number = 0;
  for (const Team* one = &team; one->encountering != nullptr && one->encountering->team != nullptr; ++number)
    one = one->encountering->team.get();
  return number;
}

}  // namespace

Replacements::Replacements(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions},
      replay_{replay},
      last_team_(definitions.locations.size()),
      first_of_(definitions.locations.size()) {
  std::iota(first_of_.begin(), first_of_.end(), LocationRef{0});
}

std::size_t Replacements::number_in(const Team& team, LocationRef location) const {
  const std::span<const LocationRef> members = replay_.members_of(team.comm);
  return static_cast<std::size_t>(std::find(members.begin(), members.end(), location) - members.begin());
}

void Replacements::team_begun(LocationRef location, Team& team, Task&) {
  std::uint64_t& last = last_team_[location];
  if (last == 0 && location != team.master)
    arrivals_.push_back({location, team.master, teams_around(team), number_in(team, location), team.number});
  last = std::max(last, team.number);
}

/// Whether a thread was replaced is known only now: it may end after its successor began, and in a pool of threads it
/// may be in a team again.
void Replacements::finished(std::uint64_t) {
  std::map<std::tuple<LocationRef, std::size_t, std::size_t>, LocationRef> last_at;  // of the first master's teams
  for (const Arrival& arrival : arrivals_) {
    const LocationRef master = arrival.master < first_of_.size() ? first_of_[arrival.master] : arrival.master;
    const auto [found, is_new] = last_at.try_emplace({master, arrival.level, arrival.number}, arrival.location);
    if (is_new) continue;
    const LocationRef before = std::exchange(found->second, arrival.location);
    const bool is_over = thread_end(definitions_.locations[before]) != 0 && last_team_[before] < arrival.team;
    if (is_over) first_of_[arrival.location] = first_of_[before];
  }
}

}  // namespace tracer::report
