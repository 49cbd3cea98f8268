// SPDX-License-Identifier: BSD-3-Clause
// See not_recorded.hpp.
#include "tracer/replay/not_recorded.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tracer/base/text.hpp"
#include "tracer/no_trace.hpp"
#include "tracer/property_names.hpp"
#include "tracer/replay/process_groups.hpp"
#include "tracer/replay/run_facts.hpp"

namespace tracer::report {
namespace {

struct ConclusiveGroup {
  std::uint32_t group, recorded_by;  ///< recorded_by: any of these
  const char *name, *consequence;
};
constexpr ConclusiveGroup conclusive_groups[] = {
    {record_tasks, record_tasks, "tasks", "what threads execute at barriers and in taskwait counts as waiting"},
    {record_sync, record_sync | record_wait, "barriers", "what threads wait there, and for tasks, counts as work"},
    {record_work, record_work, "loops, sections and single", "what they do counts as the region's own code"},
    {record_mutex, record_mutex, "locks", "what threads wait for them counts as work"},
    {record_target, record_target, "target constructs", "what threads wait for devices counts as work"},
};

/// Of the archive and of its processes, without blanks around them. "; " is between those that differ in a job.
std::vector<std::string> values_in_job(const Definitions& definitions, std::string_view name) {
  std::vector<std::string> values;
  const auto take = [&](const std::vector<Property>& properties) {
    for (const Property& property : properties) {
      if (property.name != name) continue;
      for (const std::string& value : split(property.value, ';'))
        if (const std::size_t begin = value.find_first_not_of(' '); begin != value.npos)
          values.push_back(value.substr(begin, value.find_last_not_of(' ') + 1 - begin));
    }
  };
  take(definitions.properties);
  for (const LocationGroup& group : definitions.groups_of_locations) take(group.properties);
  return values;
}

bool has_devices(const Definitions& definitions) {
  const auto& groups = definitions.groups_of_locations;
  return std::any_of(groups.begin(), groups.end(),
                     [](const LocationGroup& group) { return group.kind == LocationGroupKind::accelerator; });
}

bool has_cut_process(const Definitions& definitions) {
  const auto& groups = definitions.groups_of_locations;
  return run_facts(definitions).is_cut() || std::any_of(groups.begin(), groups.end(), [](const LocationGroup& group) {
           return run_facts(group.properties).is_cut();
         });
}

std::uint64_t lost_events(const Definitions& definitions) {
  const auto number = [&](const char* name) {
    return std::strtoull(fact_of_run(definitions, name).c_str(), nullptr, 10);
  };
  // Earlier versions did not count what damage took.
  const std::uint64_t places = counter_of(definitions, "PLACES_WHERE_EVENTS_WERE_LOST", properties::repaired);
  return std::max<std::uint64_t>({number(properties::events_lost), number(properties::dropped), places});
}

bool lacks_processes(const Definitions& definitions) {
  const std::vector<bool> left_out = groups_left_out(definitions);
  const std::vector<std::uint32_t> processes = process_groups(definitions);
  return std::any_of(processes.begin(), processes.end(), [&](std::uint32_t group) {
    return left_out[group] || left_no_trace(definitions.groups_of_locations[group]);
  });
}

}  // namespace

std::string NotRecorded::names() const {
  std::string text;
  for (const ConclusiveGroup& one : conclusive_groups)
    if (lacks(one.group)) text += (text.empty() ? "" : ", ") + std::string{one.name};
  return text;
}

std::string NotRecorded::consequences() const {
  std::string text;
  for (const ConclusiveGroup& one : conclusive_groups) {
    if (!lacks(one.group)) continue;
    std::string sentence = std::string{one.name} + " are not recorded: " + one.consequence + ".";
    sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
    text += (text.empty() ? "" : " ") + sentence;
  }
  return text;
}

NotRecorded what_is_not_recorded(const Definitions& definitions) {
  NotRecorded lacks;
  for (const std::string& value : values_in_job(definitions, std::string{properties::setting} + "TRACER_RECORD"))
    if (const auto recorded = parse_record_groups(value))
      for (const ConclusiveGroup& one : conclusive_groups)
        if ((*recorded & one.recorded_by) == 0) lacks.groups |= one.group;
  lacks.from_outside = !values_in_job(definitions, properties::provenance).empty();
  if (lacks.from_outside) lacks.groups |= record_sync | record_work | record_mutex | record_target;
  if (!has_devices(definitions)) lacks.groups &= ~std::uint32_t{record_target};
  lacks.ranks = lacks_processes(definitions);
  lacks.is_cut = has_cut_process(definitions);
  lacks.events = lost_events(definitions);
  lacks.filter = fact_of_run(definitions, properties::filter);
  if (lacks.filter.find("EXCLUDE") == lacks.filter.npos) lacks.filter.clear();
  return lacks;
}

}  // namespace tracer::report
