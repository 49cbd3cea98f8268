// SPDX-License-Identifier: BSD-3-Clause
// See joined_definitions.hpp.
#include "formats/otf2/joined_definitions.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/otf2/joined_unify.hpp"
#include "formats/otf2/sampled_walk.hpp"
#include "tracer/error.hpp"
#include "tracer/samples.hpp"

namespace tracer::otf2 {
namespace {

constexpr std::uint8_t mpi = 4;  // OTF2_PARADIGM_MPI

}  // namespace

void PartMaps::set(ReferenceKind kind, std::uint64_t local, std::uint64_t global) {
  constexpr std::uint64_t most = 1 << 28;
  if (local >= most) throw Error("a reference of " + std::to_string(local) + " makes no sense");
  auto& map = maps[static_cast<std::size_t>(kind) - 1];
  if (map.size() <= local) map.resize(local + 1, unknown);
  map[local] = global;
}

std::uint64_t PartMaps::at(ReferenceKind kind, std::uint64_t local) const {
  const auto& map = maps[static_cast<std::size_t>(kind) - 1];
  return local < map.size() ? map[local] : unknown;
}

JoinedDefinitions::JoinedDefinitions(std::uint32_t process_count, const MpiWorlds& worlds)
    : worlds_(worlds), process_count_(process_count) {
  string("");
}

std::uint32_t JoinedDefinitions::string(std::string_view text) {
  if (const auto found = string_index_.find(text); found != string_index_.end()) return found->second;
  const auto ref = static_cast<std::uint32_t>(strings.size());
  strings.emplace_back(text);
  string_index_.emplace(text, ref);
  return ref;
}

std::uint64_t JoinedDefinitions::value_of(std::uint8_t type, std::uint64_t value, const PartMaps& maps) const {
  if (type < values::type_string || type > values::type_string + PartMaps::kinds - 1) return value;
  return maps.at(static_cast<ReferenceKind>(type - 10), value);
}

std::vector<NamedProperty> JoinedDefinitions::properties_of(const std::vector<NamedProperty>& from,
                                                            const PartMaps& maps) {
  std::vector<NamedProperty> to;
  for (const NamedProperty& p : from) {
    const auto name = maps.at(ReferenceKind::string, p.name);
    const auto value = value_of(p.type, p.value, maps);
    if (name != PartMaps::unknown && value != PartMaps::unknown) to.push_back({narrow(name), p.type, value});
  }
  return to;
}

PartMaps JoinedDefinitions::add(const TraceDefinitions& part, const PartIdentity& identity) {
  using R = ReferenceKind;
  PartMaps maps;
  std::set<std::uint64_t> of_parts;  // texts that say how parts belong together
  for (const LocationGroupDef& g : part.location_groups)
    for (const NamedProperty& p : g.properties)
      if (is_of_mpi_object(part.text(p.name))) of_parts.insert({p.name, p.value});
  for (const StringDef& s : part.strings)
    if (!of_parts.contains(s.ref)) maps.set(R::string, s.ref, string(s.text));
  const auto text = [&](std::uint64_t ref) {
    const auto global = maps.at(R::string, ref);
    return global == PartMaps::unknown ? 0U : narrow(global);
  };
  for (const ParadigmDef& p : part.paradigms) {
    const auto same = [&](const ParadigmDef& other) { return other.ref == p.ref; };
    if (std::any_of(paradigms.begin(), paradigms.end(), same)) continue;
    ParadigmDef own{p.ref, text(p.name), p.paradigm_class, {}};
    for (const NamedProperty& property : p.properties)  // its name is a number of OTF2's
      own.properties.push_back({property.name, property.type, value_of(property.type, property.value, maps)});
    paradigms.push_back(std::move(own));
  }
  for (const AttributeDef& a : part.attributes) {
    const AttributeDef own{0, text(a.name), text(a.description), a.type};
    maps.set(R::attribute, a.ref,
             unify(attributes, attribute_index_, key_of(own.name, own.description, own.type), own));
  }
  for (const ParameterDef& p : part.parameters) {
    const ParameterDef own{0, text(p.name), p.type};
    maps.set(R::parameter, p.ref, unify(parameters, parameter_index_, key_of(own.name, own.type), own));
  }
  for (const RegionDef& r : part.regions) {
    const RegionDef own{0,          text(r.name), text(r.canonical),   text(r.description), r.role,
                        r.paradigm, r.flags,      text(r.source_file), r.begin_line,        r.end_line};
    maps.set(R::region, r.ref,
             unify(regions, region_index_,
                   key_of(own.name, own.canonical, own.description, own.role, own.paradigm, own.flags, own.source_file,
                          own.begin_line, own.end_line),
                   own));
  }
  for (const SourceCodeLocationDef& s : part.source_code_locations) {
    const SourceCodeLocationDef own{0, text(s.file), s.line};
    maps.set(R::source_code_location, s.ref,
             unify(source_code_locations, source_index_, key_of(own.file, own.line), own));
  }
  for (const CallingContextDef& c : part.calling_contexts) {  // parents come first
    const auto map = [&](R kind, std::uint32_t ref) {
      return ref == undefined_ref ? undefined_ref : narrow(maps.at(kind, ref));
    };
    const CallingContextDef own{0, map(R::region, c.region), map(R::source_code_location, c.source),
                                map(R::calling_context, c.parent)};
    maps.set(R::calling_context, c.ref,
             unify(calling_contexts, context_index_, key_of(own.region, own.source, own.parent), own));
  }
  for (const InterruptGeneratorDef& g : part.interrupt_generators) {
    const InterruptGeneratorDef own{0, text(g.name), g.mode, g.base, g.exponent, g.period};
    maps.set(R::interrupt_generator, g.ref,
             unify(interrupt_generators, generator_index_,
                   key_of(own.name, own.mode, own.base, own.exponent, own.period), own));
  }
  add_places(part, identity, maps);
  add_groups(part, identity, maps);
  add_comms(part, identity, maps);
  add_windows(part, identity, maps);
  add_io(part, maps);
  add_metrics(part, maps);
  for (const auto& other : part.others) not_joined += other.size();
  return maps;
}

/// Nodes, location groups and locations.
void JoinedDefinitions::add_places(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps) {
  using R = ReferenceKind;
  auto& node_of = maps.nodes;
  for (const SystemNodeDef& n : part.nodes) {
    SystemNodeDef own;
    own.name = narrow(maps.at(R::string, n.name));
    own.class_name = narrow(maps.at(R::string, n.class_name));
    own.parent = node_of.contains(n.parent) ? node_of[n.parent] : undefined_ref;
    own.domains = n.domains;
    own.properties = properties_of(n.properties, maps);
    node_of[n.ref] = narrow(unify(nodes, node_index_, key_of(own.name, own.class_name, own.parent), std::move(own)));
  }
  std::uint32_t next_process = identity.first_process;
  const std::uint32_t first_device = process_count_ + static_cast<std::uint32_t>(devices.size());
  std::uint32_t next_device = first_device;
  for (const LocationGroupDef& g : part.location_groups) {
    const bool is_process = g.type != values::location_group_accelerator;
    if (is_process && next_process >= identity.first_process + identity.processes)
      throw Error("it has more processes than it says");
    maps.set(R::location_group, g.ref, is_process ? next_process++ : next_device++);
  }
  for (const LocationGroupDef& g : part.location_groups) {
    LocationGroupDef own;
    own.ref = maps.at(R::location_group, g.ref);
    own.name = narrow(maps.at(R::string, g.name));
    own.type = g.type;
    own.system_tree_parent = node_of.contains(g.system_tree_parent) ? node_of[g.system_tree_parent] : undefined_ref;
    if (g.creating_group != undefined_ref) own.creating_group = narrow(maps.at(R::location_group, g.creating_group));
    std::vector<NamedProperty> kept = g.properties;
    std::erase_if(kept, [&](const NamedProperty& p) { return is_of_mpi_object(part.text(p.name)); });
    own.properties = properties_of(kept, maps);
    if (g.type == values::location_group_accelerator) {
      devices.push_back(std::move(own));
      continue;
    }
    if (own.ref == identity.first_process) {
      if (!identity.process_name.empty()) {
        own.properties.push_back({string("TRACER::PART_NAME"), values::type_string, own.name});
        own.name = string(identity.process_name);
      }
      if (own.creating_group == undefined_ref) own.creating_group = identity.parent;
      for (const Property& p : identity.properties) {
        const auto name = string(p.name);  // once in a group: what the process said of itself is said again here
        std::erase_if(own.properties, [name](const NamedProperty& known) { return known.name == name; });
        own.properties.push_back({name, values::type_string, string(p.value)});
      }
    }
    if (processes.size() <= own.ref) processes.resize(own.ref + 1);
    processes[own.ref] = std::move(own);
  }
  for (const LocationDef& l : part.locations) {
    LocationDef own{locations.size(), narrow(maps.at(R::string, l.name)),          l.type,
                    l.events,         narrow(maps.at(R::location_group, l.group)), {}};
    if (own.group == undefined_ref) throw Error("location " + std::to_string(l.ref) + " belongs to no group of it");
    own.properties = properties_of(l.properties, maps);
    number_samples(identity, thread_of(part, l), own.properties);
    maps.set(R::location, l.ref, own.ref);
    locations.push_back(std::move(own));
  }
}

/// Says which samples of the whole are the location's. `thread`: the part's own number of it, 0 none.
void JoinedDefinitions::number_samples(const PartIdentity& identity, std::uint32_t thread,
                                       std::vector<NamedProperty>& properties) {
  std::erase_if(properties, [&](const NamedProperty& p) { return strings[p.name] == samples::thread_of_job_property; });
  const auto known = identity.sampled.find(thread);
  if (thread == 0 || known == identity.sampled.end()) return;
  properties.push_back(
      {string(samples::thread_of_job_property), values::type_string, string(std::to_string(known->second))});
}

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
      base[mpi] = worlds_.base(identity.mpi);
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
    // A part's own view of an MPI group may lack members; its communicator gets the whole one if any part told it.
    if (g.paradigm == mpi) std::erase(own.members, undefined_location);
    std::string key = key_of(own.name, own.type, own.paradigm, own.flags);
    for (const std::uint64_t member : own.members) key += key_of(member);
    maps.set(R::group, g.ref, unify(groups, group_index_, std::move(key), std::move(own)));
  }
}

std::uint32_t JoinedDefinitions::group_of_ranks(const std::vector<std::uint64_t>& ranks, std::uint32_t name) {
  GroupDef own{0, name, values::group_comm_group, mpi, 0, ranks};
  std::string key = key_of(own.name, own.type, own.paradigm, own.flags);
  for (const std::uint64_t rank : ranks) key += key_of(rank);
  return narrow(unify(groups, group_index_, std::move(key), std::move(own)));
}

void JoinedDefinitions::add_comms(const TraceDefinitions& part, const PartIdentity& identity, PartMaps& maps) {
  using R = ReferenceKind;
  std::unordered_map<std::uint64_t, const MpiCommunicator*> by_ref;
  for (const auto& [n, comm] : identity.mpi.comms)
    if (comm.ref) by_ref[*comm.ref] = &comm;
  for (const CommDef& c : part.comms) {
    const auto name = narrow(maps.at(R::string, c.name));
    std::string known;
    if (const auto found = by_ref.find(c.ref); found != by_ref.end()) {
      known = worlds_.identity(identity.mpi, found->second->identity);
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
      if (!whole.members.empty()) own.group = group_of_ranks(whole.members, string(""));
      if (!whole.remote.empty()) own.second_group = group_of_ranks(whole.remote, string(""));
    }
    maps.set(R::comm, c.ref, own.ref);
    comms.push_back(own);
  }
}

void JoinedDefinitions::add_metrics(const TraceDefinitions& part, PartMaps& maps) {
  using R = ReferenceKind;
  std::unordered_map<std::uint64_t, std::uint64_t> member_of;
  for (const MetricMemberDef& m : part.metric_members) {
    MetricMemberDef own = m;
    own.name = narrow(maps.at(R::string, m.name));
    own.description = narrow(maps.at(R::string, m.description));
    own.unit = narrow(maps.at(R::string, m.unit));
    member_of[m.ref] = unify(
        metric_members, member_index_,
        key_of(own.name, own.description, own.type, own.mode, own.value_type, own.base, own.exponent, own.unit), own);
  }
  for (const MetricDef& m : part.metrics) {
    if (m.is_instance) continue;
    MetricDef own = m;
    std::string key = key_of(own.occurrence, own.recorder_kind);
    for (std::uint64_t& member : own.members) {
      member = member_of[member];
      key += key_of(member);
    }
    maps.set(R::metric, m.ref, unify(metrics, metric_index_, std::move(key), std::move(own)));
  }
  for (const MetricDef& m : part.metrics) {
    if (!m.is_instance) continue;
    MetricDef own = m;
    own.ref = metrics.size();
    own.metric_class = narrow(maps.at(R::metric, m.metric_class));
    own.recorder = maps.at(R::location, m.recorder);
    constexpr R scopes[] = {R::location, R::location_group};
    if (own.scope_type >= 2) continue;
    own.scope = maps.at(scopes[own.scope_type], m.scope);
    maps.set(R::metric, m.ref, own.ref);
    metrics.push_back(std::move(own));
  }
}

/// Ranks whose parts are not there have a process and a thread of no events: readers want a location of each.
void JoinedDefinitions::add_missing_ranks() {
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end()) return;
  auto& members = groups[all->second].members;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (members[rank] != undefined_location) continue;
    LocationGroupDef group;
    group.ref = process_count_ + devices.size();
    group.name = string(name_of_rank(rank) + " (no trace)");
    group.type = values::location_group_process;
    group.system_tree_parent = nodes.empty() ? undefined_ref : 0;
    members[rank] = locations.size();
    locations.push_back(
        {locations.size(), string("Master thread"), values::location_cpu_thread, 0, narrow(group.ref), {}});
    devices.push_back(std::move(group));
  }
}

void JoinedDefinitions::add_to_first_process(const std::vector<Property>& properties) {
  if (processes.empty()) return;
  for (const Property& p : properties)
    processes.front().properties.push_back({string(p.name), values::type_string, string(p.value)});
}

std::vector<Property> JoinedDefinitions::mpi_properties() const {
  std::vector<Property> properties;
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end()) return properties;
  const auto& members = groups[all->second].members;
  std::size_t rank = 0;
  while (rank + 1 < members.size() && members[rank] == undefined_location) ++rank;
  properties.push_back({"TRACER::MPI::WORLD_SIZE", std::to_string(members.size())});
  properties.push_back({"TRACER::MPI::WORLD_RANK", std::to_string(rank)});
  std::map<std::string, std::size_t> number;
  for (const auto& [identity, comm] : worlds_.comms()) number.emplace(identity, number.size());
  const auto list = [](const char* key, const std::vector<std::uint64_t>& ranks) {
    std::string text;
    for (const std::uint64_t r : ranks) text += (text.empty() ? "" : ",") + std::to_string(r);
    return text.empty() ? text : ";" + std::string{key} + "=" + text;
  };
  for (const auto& [identity, comm] : worlds_.comms()) {
    std::string value = "identity=" + identity.substr(identity.find('\n') + 1);
    if (const auto ref = mpi_comm_index_.find(identity); ref != mpi_comm_index_.end())
      value += ";ref=" + std::to_string(ref->second);
    if (const auto parent = number.find(comm.parent); parent != number.end())
      value += ";parent=" + std::to_string(parent->second);
    value += ";size=" + std::to_string(comm.size) + list("members", comm.members) + list("remote", comm.remote);
    properties.push_back({"TRACER::MPI::COMM::" + std::to_string(number[identity]), value + ";name=" + comm.name});
  }
  return properties;
}

/// Each process knows its rank in its own MPI_COMM_WORLD; of several there are several rank 0.
void JoinedDefinitions::name_ranks_of_worlds() {
  const auto all = all_locations_.find(mpi);
  if (all == all_locations_.end() || worlds_.count() < 2) return;
  const auto& members = groups[all->second].members;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (members[rank] >= locations.size() || locations[members[rank]].group >= processes.size()) continue;
    LocationGroupDef& process = processes[locations[members[rank]].group];
    process.properties.push_back({string("TRACER::PART_NAME"), values::type_string, process.name});
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
