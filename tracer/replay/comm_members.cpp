// SPDX-License-Identifier: BSD-3-Clause
// See comm_members.hpp.
#include "tracer/replay/comm_members.hpp"

#include <cstddef>
#include <map>

namespace tracer::report {

std::vector<std::vector<LocationRef>> comm_members(const Definitions& definitions) {
  std::map<Paradigm, const Group*> locations_of;
  for (const Group& group : definitions.groups)
    if (group.kind == GroupKind::comm_locations) locations_of[group.paradigm] = &group;
  std::vector<std::vector<LocationRef>> members(definitions.comms.size());
  for (std::size_t i = 0; i < definitions.comms.size(); ++i) {
    if (definitions.comms[i].group >= definitions.groups.size()) continue;
    const Group& group = definitions.groups[definitions.comms[i].group];
    const auto found = locations_of.find(group.paradigm);
    const Group* const locations = found == locations_of.end() ? nullptr : found->second;
    for (const std::uint32_t index : group.members) {
      const bool indirect = group.kind == GroupKind::comm_group && locations != nullptr;
      if (indirect && index >= locations->members.size()) continue;
      members[i].push_back(indirect ? locations->members[index] : index);
    }
  }
  return members;
}

}  // namespace tracer::report
