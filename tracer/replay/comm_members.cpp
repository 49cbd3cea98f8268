// SPDX-License-Identifier: BSD-3-Clause
// See comm_members.hpp.
#include "tracer/replay/comm_members.hpp"

#include <map>

namespace tracer::report {
namespace {

/// `all`: the comm_locations of the group's paradigm; null: there are none.
std::vector<LocationRef> locations_of_comm_group(const Group& group, const Group* all) {
  if (group.kind != GroupKind::comm_group || all == nullptr) return group.members;
  std::vector<LocationRef> locations;
  for (const std::uint32_t index : group.members)
    if (index < all->members.size()) locations.push_back(all->members[index]);
  return locations;
}

}  // namespace

CommMembers::CommMembers(const Definitions& definitions) : groups_(1) {
  std::map<Paradigm, const Group*> locations_of;
  for (const Group& group : definitions.groups)
    if (group.kind == GroupKind::comm_locations) locations_of[group.paradigm] = &group;
  std::vector<std::uint32_t> place_of(definitions.groups.size());  // 0: it has none yet
  for (const Comm& comm : definitions.comms) {
    if (comm.group >= place_of.size()) {
      group_of_.push_back(0);
      continue;
    }
    std::uint32_t& place = place_of[comm.group];
    if (place == 0) {
      place = static_cast<std::uint32_t>(groups_.size());
      const Group& group = definitions.groups[comm.group];
      const auto all = locations_of.find(group.paradigm);
      groups_.push_back(locations_of_comm_group(group, all == locations_of.end() ? nullptr : all->second));
    }
    group_of_.push_back(place);
  }
}

}  // namespace tracer::report
