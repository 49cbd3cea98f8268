// SPDX-License-Identifier: BSD-3-Clause
// See joined_definitions.hpp.
#include "formats/otf2/join/joined_definitions.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/otf2/join/joined_unify.hpp"
#include "formats/otf2/join/sampled_walk.hpp"
#include "tracer/error.hpp"
#include "tracer/number_map.hpp"
#include "tracer/property_names.hpp"
#include "tracer/samples.hpp"
#include "tracer/thread_end.hpp"

namespace tracer::otf2 {

void PartMaps::require_plausible(std::size_t kind, std::uint64_t local, std::uint64_t others) const {
  constexpr std::uint64_t always = 1 << 20, most_gaps = 64;
  if (local >= always && local / most_gaps > counts_[kind] + others)
    throw Error("a reference of " + std::to_string(local) + " makes no sense");
}

void PartMaps::set(ReferenceKind kind, std::uint64_t local, std::uint64_t global) {
  const std::size_t i = static_cast<std::size_t>(kind) - 1;
  require_plausible(i, local);
  ++counts_[i];
  auto& map = maps[i];
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
  std::set<std::uint64_t> of_parts;  // texts that describe how parts belong together
  std::map<std::uint64_t, std::string>
      moved;  // and times of processes and threads, which nothing else has for its text
  const auto move = [&](const NamedProperty& p) {
    if (!identity.in_whole || p.type != values::type_string) return;
    const Property in_part{std::string{part.text(p.name)}, std::string{part.text(p.value)}};
    if (Property own = identity.in_whole(in_part); own.value != in_part.value) moved[p.value] = std::move(own.value);
  };
  for (const LocationGroupDef& g : part.location_groups)
    for (const NamedProperty& p : g.properties) {
      if (is_of_mpi_object(part.text(p.name))) of_parts.insert({p.name, p.value});
      move(p);
    }
  for (const LocationDef& l : part.locations)
    for (const NamedProperty& p : l.properties)
      if (part.text(p.name) == properties::thread_ended) move(p);
  for (const StringDef& s : part.strings) {
    if (of_parts.contains(s.ref)) continue;
    const auto other = moved.find(s.ref);
    maps.set(R::string, s.ref, string(other != moved.end() ? std::string_view{other->second} : s.text));
  }
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
    // Processes may record different properties of a device, such as the code that each has loaded there.
    std::string key = key_of(own.name, own.class_name, own.parent);
    for (const NamedProperty& p : own.properties) key += key_of(p.name, p.type, p.value);
    node_of[n.ref] = narrow(unify(nodes, node_index_, key, std::move(own)));
  }
  std::uint32_t next_process = identity.first_process;
  const std::uint32_t first_device = process_count_ + static_cast<std::uint32_t>(devices.size());
  std::uint32_t next_device = first_device;
  for (const LocationGroupDef& g : part.location_groups) {
    const bool is_process = g.type != values::location_group_accelerator;
    if (is_process && next_process >= identity.first_process + identity.processes)
      throw Error("it has more processes than it declares");
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
        own.properties.push_back({string(properties::part_name), values::type_string, own.name});
        own.name = string(identity.process_name);
      }
      if (own.creating_group == undefined_ref) own.creating_group = identity.parent;
      for (const Property& p : identity.properties) {
        const auto name = string(p.name);  // once in a group: the process' own definitions contain them, too
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

/// Records which samples of the whole are the location's. `thread`: the part's own number of it, 0 none.
void JoinedDefinitions::number_samples(const PartIdentity& identity, std::uint32_t thread,
                                       std::vector<NamedProperty>& properties) {
  std::erase_if(properties, [&](const NamedProperty& p) { return strings[p.name] == samples::thread_of_job_property; });
  const auto known = identity.sampled.find(thread);
  if (thread == 0 || known == identity.sampled.end()) return;
  properties.push_back(
      {string(samples::thread_of_job_property), values::type_string, string(std::to_string(known->second))});
}

void JoinedDefinitions::add_metrics(const TraceDefinitions& part, PartMaps& maps) {
  using R = ReferenceKind;
  NumberMap<std::uint64_t> member_of;
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

void JoinedDefinitions::add_to_first_process(const std::vector<Property>& properties) {
  if (processes.empty()) return;
  for (const Property& p : properties)
    processes.front().properties.push_back({string(p.name), values::type_string, string(p.value)});
}

}  // namespace tracer::otf2
