// SPDX-License-Identifier: BSD-3-Clause
// See process_groups.hpp.
#include "tracer/replay/process_groups.hpp"

#include <algorithm>
#include <iterator>

namespace tracer::report {

std::vector<std::uint32_t> process_groups(const Definitions& definitions) {
  std::vector<std::uint32_t> processes;
  for (std::uint32_t group = 0; group < definitions.groups_of_locations.size(); ++group)
    if (definitions.groups_of_locations[group].kind == LocationGroupKind::process) processes.push_back(group);
  return processes;
}

std::vector<std::uint32_t> processes_of_locations(const Definitions& definitions) {
  const auto& groups = definitions.groups_of_locations;
  std::vector<std::uint32_t> number(groups.size(), 0);
  std::uint32_t processes = 0;
  for (const std::uint32_t group : process_groups(definitions)) number[group] = processes++;
  std::vector<std::uint32_t> of;
  for (const Location& location : definitions.locations) {
    std::uint32_t group = location.group;
    if (group < groups.size() && groups[group].kind != LocationGroupKind::process) group = groups[group].creating_group;
    of.push_back(group < groups.size() ? number[group] : 0);
  }
  return of;
}

std::vector<bool> groups_left_out(const Definitions& definitions) {
  std::vector<bool> left_out(definitions.groups_of_locations.size(), false);
  for (const Location& location : definitions.locations)
    if (location.group < left_out.size()) left_out[location.group] = true;
  for (const Location& location : definitions.locations)
    if (location.group < left_out.size() && location.used) left_out[location.group] = false;
  return left_out;
}

std::string name_in_job(const Definitions& definitions, LocationRef location) {
  const auto& groups = definitions.groups_of_locations;
  const auto is_process = [](const LocationGroup& group) { return group.kind == LocationGroupKind::process; };
  const auto first = std::find_if(groups.begin(), groups.end(), is_process);
  const bool has_several = first != groups.end() && std::any_of(std::next(first), groups.end(), is_process);
  const Location& of = definitions.locations[location];
  return (has_several && of.group < groups.size() ? groups[of.group].name + ": " : std::string{}) + of.name;
}

}  // namespace tracer::report
