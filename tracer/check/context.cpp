// SPDX-License-Identifier: BSD-3-Clause
// See context.hpp.
#include "tracer/check/context.hpp"
#include "tracer/number_map.hpp"
#include "tracer/property_names.hpp"

namespace tracer::check {
namespace {

const std::vector<std::uint32_t> nothing;
const std::vector<std::uint64_t> nobody;

/// The first COMM_LOCATIONS of each paradigm.
using AllLocations = std::unordered_map<unsigned, const otf2::GroupDef*>;

AllLocations all_locations_of(const otf2::TraceDefinitions& d) {
  AllLocations all;
  for (const auto& group : d.groups)
    if (group.type == otf2::values::group_comm_locations) all.try_emplace(group.paradigm, &group);
  return all;
}

/// Ranks of a COMM_GROUP are indices into the COMM_LOCATIONS of its paradigm.
std::vector<std::uint64_t> members_of(const otf2::TraceDefinitions& d, std::uint32_t ref,
                                      const AllLocations& all_locations) {
  const auto* group = d.groups.find(ref);
  if (group == nullptr) return {};
  if (group->type == otf2::values::group_comm_locations) return group->members;
  if (group->type != otf2::values::group_comm_group) return {};
  const auto all = all_locations.find(group->paradigm);
  if (all == all_locations.end()) return {};
  std::vector<std::uint64_t> members;
  for (const auto i : group->members) {
    if (i >= all->second->members.size()) return {};
    members.push_back(all->second->members[i]);
  }
  return members;
}

}  // namespace

std::string_view construct_of(std::string_view name) {
  constexpr std::string_view prefix = "!$omp ";
  if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
  if (const auto at = name.find(" @"); at != name.npos) name = name.substr(0, at);
  return name;
}

CheckContext::CheckContext(const otf2::Trace& trace, const CheckOptions& options, const Shown* part)
    : trace_(trace), filter_(trace.info().property(properties::filter)), options_(options), part_(part) {
  for (const auto& location : definitions().locations) index_.emplace(location.ref, index_.size());
  for (const auto& group : definitions().location_groups) {
    if (group.type != otf2::values::location_group_process) continue;
    first_process_ = group.ref;
    break;
  }
  states_.resize(index_.size());
  counts_.resize(index_.size());
  const AllLocations all_locations = all_locations_of(definitions());
  NumberMap<std::shared_ptr<const Ranks>> of_groups;
  for (const auto& comm : definitions().comms) {
    std::shared_ptr<const Ranks>& ranks = of_groups[comm.group];
    if (ranks == nullptr) {
      const auto made = std::make_shared<Ranks>();
      made->members = members_of(definitions(), comm.group, all_locations);
      for (std::size_t i = 0; i < made->members.size(); ++i)
        made->rank_of.emplace(made->members[i], static_cast<std::int64_t>(i));
      ranks = made;
    }
    ranks_.emplace(comm.ref, ranks);
  }
}

/// The open state contains neither the last events, nor whether recording is on.
void CheckContext::set_opened() {
  is_opened_ = true;
  for (LocationState& state : states_) {
    state.last_kind = EventKind::none;
    state.is_recording_known = false;
  }
}

bool CheckContext::is_stream(std::uint64_t location) const {
  const auto* found = definitions().locations.find(location);
  return found != nullptr && found->type == otf2::values::location_accelerator_stream;
}

OwnNumber CheckContext::in_process(std::uint64_t location, std::uint64_t number) const {
  const auto* found = definitions().locations.find(location);
  const auto* group = found == nullptr ? nullptr : definitions().location_groups.find(found->group);
  if (group == nullptr) return {undefined_ref, number};
  if (group->type == otf2::values::location_group_process) return {group->ref, number};
  // Other tools' archives may not contain whose a device is; where there is one process it is clear.
  return {group->creating_group == undefined_ref ? first_process_ : group->creating_group, number};
}

bool CheckContext::is_window_of_accelerator(std::uint64_t window) const {
  const auto* found = definitions().windows.find(window);
  const auto* comm = found == nullptr ? nullptr : definitions().comms.find(found->comm);
  const auto* group = comm == nullptr ? nullptr : definitions().groups.find(comm->group);
  const auto* paradigm = group == nullptr ? nullptr : definitions().paradigms.find(group->paradigm);
  return paradigm != nullptr && paradigm->paradigm_class == otf2::values::paradigm_class_accelerator;
}

std::string CheckContext::location_name(std::uint64_t location) const {
  const auto* found = definitions().locations.find(location);
  const auto ref = "location " + std::to_string(location);
  return found == nullptr ? ref : ref + " \"" + std::string{definitions().text(found->name)} + "\"";
}

std::string_view CheckContext::region_name(std::uint64_t region) const {
  const auto* found = definitions().regions.find(region);
  return found == nullptr ? std::string_view{} : definitions().text(found->name);
}

unsigned CheckContext::role(std::uint64_t region) const {
  const auto* found = definitions().regions.find(region);
  return found == nullptr ? 0 : found->role;
}

bool CheckContext::is_openmp(std::uint64_t region) const {
  const auto* found = definitions().regions.find(region);
  return found != nullptr && found->paradigm == otf2::values::paradigm_openmp;
}

const std::vector<std::uint64_t>& CheckContext::members(std::uint64_t comm) const {
  const auto found = ranks_.find(comm);
  return found == ranks_.end() ? nobody : found->second->members;
}

std::int64_t CheckContext::rank_of(std::uint64_t location, std::uint64_t comm) const {
  const auto ranks = ranks_.find(comm);
  if (ranks == ranks_.end()) return -1;
  const auto rank = ranks->second->rank_of.find(location);
  return rank == ranks->second->rank_of.end() ? -1 : rank->second;
}

const std::vector<std::uint32_t>& CheckContext::open_regions(const EventView& e) const {
  const auto& s = state(e);
  if (!s.in_task) return s.frames.back().open;
  const auto* open = open_regions(s.task);
  return open == nullptr ? nothing : *open;
}

const std::vector<std::uint32_t>* CheckContext::open_regions(const TaskKey& task) const {
  const auto found = tasks_.find(task);
  return found == tasks_.end() ? nullptr : &found->second;
}

std::vector<std::uint32_t>& CheckContext::current(LocationState& state) {
  return state.in_task ? tasks_[state.task] : state.frames.back().open;
}

void CheckContext::apply(const EventView& e) {
  auto& s = states_[index_of(e.location)];
  const auto region = static_cast<std::uint32_t>(e.field[0]);
  switch (e.kind) {
    case EventKind::enter:
      current(s).push_back(region);
      break;
    case EventKind::leave: {
      auto& open = current(s);
      if (!open.empty()) open.pop_back();
      s.last_region = region;
      break;
    }
    case EventKind::thread_team_begin:
      s.frames.push_back({e.field[0], {}, s.in_task, s.task});
      s.in_task = s.task_done = false;
      break;
    case EventKind::thread_team_end:
      if (s.frames.size() < 2) break;
      s.in_task = s.frames.back().in_task;
      s.task = s.frames.back().task;
      s.task_done = false;
      s.frames.pop_back();
      break;
    case EventKind::thread_task_switch:
      s.task = {e.field[0], static_cast<std::uint32_t>(e.field[1]), static_cast<std::uint32_t>(e.field[2])};
      s.in_task = s.task.generation != 0;
      s.task_done = false;
      break;
    case EventKind::thread_task_complete: {
      const TaskKey done{e.field[0], static_cast<std::uint32_t>(e.field[1]), static_cast<std::uint32_t>(e.field[2])};
      tasks_.erase(done);
      if (s.in_task && s.task == done) {
        s.in_task = false;
        s.task_done = true;
      }
      break;
    }
    case EventKind::measurement_on_off:
      s.recording = e.field[0] == 1;
      s.is_recording_known = true;
      break;
    default:
      break;
  }
  ++counts_[index_of(e.location)];
  // What is sampled, and flushes, may be anywhere between others.
  if (e.kind != EventKind::calling_context_sample && e.kind != EventKind::metric && e.kind != EventKind::buffer_flush)
    s.last_kind = e.kind;
  s.last_time = e.time;
}

}  // namespace tracer::check
