// SPDX-License-Identifier: BSD-3-Clause
// Who is in which group and communicator of several archives, and the ranks of their worlds. See
// joined_definitions.hpp.
#include <algorithm>
#include <cstdint>
#include <string>

#include "formats/otf2/join/joined_unify.hpp"
#include "tracer/error.hpp"
#include "tracer/no_trace.hpp"
#include "tracer/property_names.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t mpi = 4;  // OTF2_PARADIGM_MPI

}  // namespace

void JoinedDefinitions::add_groups(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps) {
  using R = ReferenceKind;
  std::map<std::uint8_t, std::uint64_t> base;  // of the part's members in a paradigm's group of all
  const auto member_of = [&](R kind, std::uint64_t ref) {
    const auto global = maps.at(kind, ref);
    return global == PartMaps::unknown ? undefined_location : global;
  };
  for (const GroupDef& g : part.groups) {
    if (g.type != values::group_comm_locations) continue;
    const auto [found, is_new] = all_locations_.emplace(g.paradigm, narrow(groups.size()));
    if (is_new) {
      groups.push_back({groups.size(), narrow(maps.at(R::string, g.name)), g.type, g.paradigm, g.flags, {}});
      if (g.paradigm == mpi) groups.back().members.assign(worlds_.size(), undefined_location);
    }
    GroupDef& all = groups[found->second];
    maps.set(R::group, g.ref, found->second);
    if (g.paradigm == mpi) {
      base[mpi] = worlds_.base(*identity.mpi);
      for (std::size_t rank = 0; rank < g.members.size(); ++rank) {
        const auto global = member_of(R::location, g.members[rank]);
        if (global == undefined_location || base[mpi] + rank >= all.members.size()) continue;
        all.members[base[mpi] + rank] = global;
      }
      continue;
    }
    base[g.paradigm] = all.members.size();
    for (const std::uint64_t member : g.members) all.members.push_back(member_of(R::location, member));
  }
  for (const GroupDef& g : part.groups) {
    if (g.type == values::group_comm_locations) continue;
    GroupDef own{0, narrow(maps.at(R::string, g.name)), g.type, g.paradigm, g.flags, {}};
    for (const std::uint64_t member : g.members) {
      if (g.type == values::group_comm_group) {
        own.members.push_back(member == undefined_location ? member : base[g.paradigm] + member);
      } else {
        own.members.push_back(member_of(g.type == values::group_regions ? R::region : R::location, member));
      }
    }
    // A part's own view of an MPI group may lack members; its communicator gets the whole one if any part has it.
    if (g.paradigm == mpi) std::erase(own.members, undefined_location);
    maps.set(R::group, g.ref, unify_group(std::move(own)));
  }
}

std::uint64_t JoinedDefinitions::unify_group(GroupDef group) {
  std::string key = key_of(group.name, group.type, group.paradigm, group.flags);
  for (const std::uint64_t member : group.members) key += key_of(member);
  return unify(groups, group_index_, std::move(key), std::move(group));
}

std::uint32_t JoinedDefinitions::group_of_ranks(const std::vector<std::uint64_t>& ranks, std::uint32_t name) {
  return narrow(unify_group({0, name, values::group_comm_group, mpi, 0, ranks}));
}

void JoinedDefinitions::add_comms(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps) {
  using R = ReferenceKind;
  const auto comm_of = by_reference(identity.mpi->comms);
  for (const CommDef& c : part.comms) {
    const auto name = narrow(maps.at(R::string, c.name));
    std::string known;
    if (const auto found = comm_of.find(c.ref); found != comm_of.end()) {
      known = worlds_.identity(*identity.mpi, found->second->identity);
      if (const auto same = mpi_comm_index_.find(known); same != mpi_comm_index_.end()) {
        maps.set(R::comm, c.ref, same->second);
        continue;
      }
    }
    CommDef own;
    own.ref = comms.size();
    own.name = name;
    own.flags = c.flags;
    own.group = c.group == undefined_ref ? undefined_ref : narrow(maps.at(R::group, c.group));
    if (c.second_group != undefined_ref) own.second_group = narrow(maps.at(R::group, c.second_group));
    own.parent = c.parent == undefined_ref ? undefined_ref : narrow(maps.at(R::comm, c.parent));
    if (!known.empty()) {
      mpi_comm_index_.emplace(known, narrow(own.ref));
      const auto& whole = worlds_.comms().find(known)->second;
      if (!whole.members->empty()) own.group = group_of_ranks(*whole.members, string(""));
      if (!whole.remote->empty()) own.second_group = group_of_ranks(*whole.remote, string(""));
    }
    maps.set(R::comm, c.ref, own.ref);
    comms.push_back(own);
  }
}

/// Ranks whose parts are not there have a process and a thread of no events: readers want a location of each.
void JoinedDefinitions::add_missing_ranks() {
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end()) return;
  auto& members = groups[all->second].members;
  constexpr std::uint64_t always = 1 << 17, most_of_each = 64;
  const auto missing = static_cast<std::uint64_t>(std::count(members.begin(), members.end(), undefined_location));
  if (const std::uint64_t there = members.size() - missing; missing > always && missing / most_of_each > there)
    throw Error("the parts name a job of " + std::to_string(members.size()) + " ranks, of which " +
                std::to_string(there) + " are here");
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (members[rank] != undefined_location) continue;
    LocationGroupDef group;
    group.ref = process_count_ + devices.size();
    group.name = string(name_of_rank(rank) + std::string{no_trace_suffix});
    group.type = values::location_group_process;
    group.system_tree_parent = nodes.empty() ? undefined_ref : 0;
    members[rank] = locations.size();
    locations.push_back(
        {locations.size(), string("Master thread"), values::location_cpu_thread, 0, narrow(group.ref), {}});
    devices.push_back(std::move(group));
  }
}

std::vector<Property> JoinedDefinitions::mpi_properties() const {
  std::vector<Property> properties;
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end()) return properties;
  const auto& members = groups[all->second].members;
  std::size_t rank = 0;
  while (rank + 1 < members.size() && members[rank] == undefined_location) ++rank;
  properties.push_back({properties::mpi_world_size, std::to_string(members.size())});
  properties.push_back({properties::mpi_world_rank, std::to_string(rank)});
  std::map<std::string, std::size_t> number;
  for (const auto& [identity, comm] : worlds_.comms()) number.emplace(identity, number.size());
  const auto list = [](const char* key, const std::vector<std::uint64_t>& ranks) {
    return ranks.empty() ? std::string{} : ";" + std::string{key} + "=" + format_ranks(ranks);
  };
  for (const auto& [identity, comm] : worlds_.comms()) {
    std::string value = "identity=" + identity.substr(identity.find('\n') + 1);
    if (const auto ref = mpi_comm_index_.find(identity); ref != mpi_comm_index_.end())
      value += ";ref=" + std::to_string(ref->second);
    if (const auto parent = number.find(comm.parent); parent != number.end())
      value += ";parent=" + std::to_string(parent->second);
    value += ";size=" + std::to_string(comm.size) + list("members", *comm.members) + list("remote", *comm.remote);
    properties.push_back({properties::mpi_comm + std::to_string(number[identity]), value + ";name=" + comm.name});
  }
  return properties;
}

/// Each process records its rank in its own MPI_COMM_WORLD; with several worlds there are several rank 0.
void JoinedDefinitions::name_ranks_of_worlds() {
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end() || worlds_.count() < 2) return;
  const auto& members = groups[all->second].members;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (members[rank] >= locations.size() || locations[members[rank]].group >= processes.size()) continue;
    LocationGroupDef& process = processes[locations[members[rank]].group];
    process.properties.push_back({string(properties::part_name), values::type_string, process.name});
    process.name = string(name_of_rank(rank));
  }
}

std::string JoinedDefinitions::name_of_rank(std::uint64_t rank) const {
  if (worlds_.count() < 2) return "MPI Rank " + std::to_string(rank);
  const auto [world, own] = worlds_.place_of(rank);
  return "MPI Rank " + std::to_string(own) + " of world " + std::to_string(world);
}

void JoinedDefinitions::finish(bool with_missing_ranks) {
  if (with_missing_ranks) {
    name_ranks_of_worlds();
    add_missing_ranks();
  }
  for (const auto& [identity, ref] : mpi_comm_index_) {
    const auto& whole = worlds_.comms().find(identity)->second;
    const auto parent = mpi_comm_index_.find(whole.parent);
    if (parent != mpi_comm_index_.end()) comms[ref].parent = parent->second;
  }
}

}  // namespace tracer::otf2
