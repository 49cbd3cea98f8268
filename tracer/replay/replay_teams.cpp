// SPDX-License-Identifier: BSD-3-Clause
// Teams of a replay: who comes to them and goes, and when they are over.
#include <algorithm>

#include "tracer/replay/replay.hpp"
#include "tracer/replay/run_facts.hpp"

namespace tracer::report {

/// libomp keeps a team for `target nowait`: begun by a thread that is nobody's, in no place of the program.
void Replay::look_for_helpers(Team& team, const RegionClass& region) const {
  if (!region.location.empty() || team.master >= locations_.size() || is_first_[team.master]) return;
  const Location& master = definitions_.locations[team.master];
  team.helps = is_initial_thread(master) && !master.name.starts_with("OMP");
}

void Replay::do_team_begin(LocationRef ref, LocationState& location, const Event& event) {
  if (const auto old = teams_.find(event.ref); old != teams_.end() && old->second->joined) {
    const auto& members = old->second->members;
    const auto is_this = [&](const Team::Member& member) { return member.location == ref; };
    if (std::any_of(members.begin(), members.end(), is_this))
      end_team(*old->second, old->second->end);
    else
      in_vain_.add(members.size());
  }
  std::shared_ptr<Team>& team = teams_[event.ref];
  if (team == nullptr) {
    team = std::make_shared<Team>();
    team->comm = event.ref;
    team->number = ++teams_begun_;
    team->begin = event.time;
    const std::span<const LocationRef> members = members_of(event.ref);
    team->size = static_cast<std::uint32_t>(members.size());
    team->master = members.empty() ? ref : members.front();
    if (team->master < locations_.size()) locations_[team->master].leads.push_back(team->comm);
    if (team->master < locations_.size() && !locations_[team->master].forks.empty()) {
      team->begin = locations_[team->master].forks.back().first;
      team->encountering = locations_[team->master].forks.back().second;
    } else if (team->master < locations_.size()) {
      team->encountering = locations_[team->master].current;
    }
    if (team->encountering != nullptr) team->first_path = team->encountering->path;
  }
  Membership context{team, pool_.make(), team->members.size(), location.charged};
  team->members.push_back({.location = ref});
  ++team->begun;
  context.implicit->location = ref;
  context.implicit->team = team;
  context.implicit->parent = team->encountering;
  location.contexts.push_back(context);
  location.current = context.implicit;
  for (Observer* observer : observers_.team_begun) observer->team_begun(ref, *team, *context.implicit);
}

/// The task that made the team; nullptr: none of this location did.
Task* Replay::maker_on(LocationRef ref, const Team& team) {
  return ref == team.master ? team.encountering.get() : nullptr;
}

/// What its thread did in the team is time of the frames around.
void Replay::credit_maker(LocationRef ref, const LocationState& location, const Membership& context) {
  Task* const maker = maker_on(ref, *context.team);
  if (maker == nullptr || maker->stack.empty()) return;
  maker->stack.back().in_teams += location.charged - context.charged_before;
}

void Replay::do_team_end(LocationRef ref, LocationState& location, std::uint64_t time) {
  if (location.contexts.empty()) {
    ++irregular_;
    return;
  }
  const Membership context = location.contexts.back();
  location.contexts.pop_back();
  credit_maker(ref, location, context);
  location.current = location.contexts.empty() ? location.root : location.contexts.back().implicit;
  // A master that was in an explicit task when it forked returns to that task.
  if (!location.forks.empty() && ref == context.team->master) location.current = location.forks.back().second;
  ++context.team->ended;
  context.team->end = std::max(context.team->end, time);
  for (Observer* observer : observers_.team_left) observer->team_left(ref, *context.team, *context.implicit);
  if (context.team->ended == context.team->begun && context.team->begun >= context.team->size)
    end_team(*context.team, time);
}

void Replay::end_team(Team& team, std::uint64_t time) {
  const auto found = teams_.find(team.comm);
  if (found == teams_.end() || found->second.get() != &team) return;
  const std::shared_ptr<Team> keep = found->second;
  team.end = std::max(team.end, time);
  for (Observer* observer : observers_.team_ended) observer->team_ended(team);
  if (team.master < locations_.size()) {
    in_vain_.add(locations_[team.master].leads.size());
    std::erase(locations_[team.master].leads, team.comm);
  }
  teams_.erase(found);
}

/// Members that end at the same instant may come after the master's join; one that never arrived is
/// given up when the team begins anew.
void Replay::do_join(LocationState& location) {
  in_vain_.add(location.leads.size());
  for (const CommRef comm : location.leads) {
    Team& team = *teams_.at(comm);
    const bool last = location.forks.empty() || team.begin >= location.forks.back().first;
    if (team.ended > 0 && last) team.joined = true;
  }
  if (!location.forks.empty()) location.forks.pop_back();
}

}  // namespace tracer::report
