// SPDX-License-Identifier: BSD-3-Clause
// See world.hpp.
#include "tracer/replay/mpi/world.hpp"

#include <algorithm>
#include <string_view>

#include "tracer/base/disjoint_sets.hpp"
#include "tracer/no_trace.hpp"

namespace tracer::report {

MpiWorld::MpiWorld(const Definitions& definitions) : rank_of_(definitions.groups_of_locations.size(), undefined_ref) {
  std::vector<bool> has_events(rank_of_.size());
  for (const Location& location : definitions.locations) {
    location_group_.push_back(location.group);
    if (location.used && location.group < has_events.size()) has_events[location.group] = true;
  }
  for (const Group& group : definitions.groups) {
    if (group.kind != GroupKind::comm_locations || group.paradigm != Paradigm::mpi) continue;
    for (const std::uint32_t member : group.members) {
      const std::uint32_t process = member < location_group_.size() ? location_group_[member] : undefined_ref;
      const bool is_there = process < rank_of_.size();
      if (is_there) rank_of_[process] = ranks();
      group_of_.push_back(is_there ? process : undefined_ref);
      is_known_.push_back(is_there && has_events[process] && !left_no_trace(definitions.groups_of_locations[process]));
    }
  }
  groups_.resize(definitions.groups.size());
  const auto group_for = [&](std::uint32_t ref, Members& of) {
    if (ref >= groups_.size() || definitions.groups[ref].paradigm != Paradigm::mpi) return undefined_ref;
    const Group& group = definitions.groups[ref];
    of.is_self = group.kind == GroupKind::comm_self;
    if (group.kind != GroupKind::comm_group) return undefined_ref;
    if (groups_[ref].empty()) groups_[ref] = group.members;
    return ref;
  };
  for (const Comm& comm : definitions.comms) {
    Members& of = comms_.emplace_back();
    of.local = group_for(comm.group, of);
    of.remote = group_for(comm.second_group, of);
  }
  count_worlds();
}

void MpiWorld::count_worlds() {
  DisjointSets joined{ranks()};
  std::vector<std::uint32_t> first_of(groups_.size(), undefined_ref);  // in one set with all others of the group
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    std::uint32_t& first = first_of[group];
    for (const std::uint32_t rank : groups_[group]) {
      if (rank >= ranks()) continue;
      if (first == undefined_ref) first = rank;
      joined.join(rank, first);
    }
  }
  const auto first_in = [&](std::uint32_t group) { return group < first_of.size() ? first_of[group] : undefined_ref; };
  for (const Members& of : comms_) {
    const std::uint32_t local = first_in(of.local), remote = first_in(of.remote);
    if (local != undefined_ref && remote != undefined_ref) joined.join(local, remote);
  }
  worlds_ = static_cast<std::uint32_t>(joined.sets());
}

std::vector<std::string> MpiWorld::labels(const Definitions& definitions) const {
  constexpr std::string_view begin = "MPI Rank ";
  std::vector<std::string> labels;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    const std::uint32_t process = group_of(rank);
    std::string_view name;
    if (process != undefined_ref) name = definitions.groups_of_locations[process].name;
    if (name.ends_with(no_trace_suffix)) name.remove_suffix(no_trace_suffix.size());
    const bool has_rank = name.starts_with(begin) && name.find(" of world ") != name.npos;
    labels.push_back(has_rank ? std::string{name.substr(begin.size())} : std::to_string(rank));
  }
  return labels;
}

std::uint32_t MpiWorld::rank_of(LocationRef location) const {
  const std::uint32_t process = location < location_group_.size() ? location_group_[location] : undefined_ref;
  return process < rank_of_.size() ? rank_of_[process] : undefined_ref;
}

std::uint32_t MpiWorld::world_rank(CommRef comm, std::uint32_t me, std::uint32_t rank) const {
  if (comm >= comms_.size()) return undefined_ref;
  const Members& of = comms_[comm];
  if (of.is_self) return rank == 0 ? me : undefined_ref;
  const auto local = ranks_in(of.local), remote = ranks_in(of.remote);
  const bool is_to_others = !remote.empty() && std::find(local.begin(), local.end(), me) != local.end();
  const auto members = is_to_others ? remote : local;
  if (rank >= members.size() || members[rank] >= ranks()) return undefined_ref;
  return members[rank];
}

std::span<const std::uint32_t> MpiWorld::members(CommRef comm) const {
  if (comm >= comms_.size() || comms_[comm].is_self || !ranks_in(comms_[comm].remote).empty()) return {};
  return ranks_in(comms_[comm].local);
}

std::size_t MpiWorld::members_with_trace(CommRef comm) const {
  const auto all = members(comm);
  return static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [this](std::uint32_t rank) { return rank < ranks() && is_known(rank); }));
}

std::vector<std::uint32_t> MpiWorld::all_members(CommRef comm) const {
  if (comm >= comms_.size() || comms_[comm].is_self) return {};
  const auto local = ranks_in(comms_[comm].local), remote = ranks_in(comms_[comm].remote);
  std::vector<std::uint32_t> all(local.begin(), local.end());
  all.insert(all.end(), remote.begin(), remote.end());
  return all;
}

}  // namespace tracer::report
