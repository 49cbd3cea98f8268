// SPDX-License-Identifier: BSD-3-Clause
// See archive_definitions.hpp.
#include "formats/otf2/read/archive_definitions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "formats/otf2/common/file.hpp"
#include "tracer/base/budget.hpp"
#include "tracer/base/text.hpp"
#include "tracer/error.hpp"
#include "tracer/value_text.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::otf2 {
namespace {

/// Archives may come from anybody, and their texts end on terminals, in pages and in tables. Each reference to a string
/// becomes a copy of it: together they may be longer than the file, but not without bound.
class Texts {
 public:
  explicit Texts(const otf2::Trace& trace)
      : file_(trace.info().definition_file()),
        from_(trace.definitions()),
        room_(always + most_repeats * size_of_file(file_).value_or(0)) {}

  std::string operator()(std::uint64_t ref) { return counted(shown(from_.text(ref))); }
  std::string lines(std::uint64_t ref) { return counted(shown_lines(from_.text(ref))); }

 private:
  static constexpr std::uint64_t always = std::uint64_t{64} << 20, most_repeats = 32;  // bytes, times the file's

  std::string counted(std::string text) {
    if (!room_.take(text.size()))
      throw Error(file_.string() + " is damaged: its definitions repeat more text than makes sense");
    return text;
  }

  const std::filesystem::path file_;
  const TraceDefinitions& from_;
  Budget room_;
};

/// Of a reference only its number in the archive is known here.
Property property_of(Texts& text, const otf2::NamedProperty& property) {
  const auto type = static_cast<ValueType>(property.type);
  if (type == ValueType::string) return {text(property.name), text.lines(property.value)};
  const bool is_number = type > ValueType::none && type < ValueType::string;
  return {text(property.name), text_of(type, property.value), is_number ? type : ValueType::string};
}

std::vector<Property> properties_of(Texts& text, const std::vector<otf2::NamedProperty>& properties) {
  std::vector<Property> list;
  for (const auto& property : properties) list.push_back(property_of(text, property));
  return list;
}

void add_locations(const TraceDefinitions& from, Texts& text, const Indices& index, Definitions& to) {
  for (const auto& node : from.nodes) {
    NodeDomain domain = NodeDomain::none;
    for (const std::uint8_t d : node.domains) {
      if (d == otf2::values::domain_machine) domain = NodeDomain::machine;
      if (d == otf2::values::domain_shared_memory) domain = NodeDomain::shared_memory;
      if (d == otf2::values::domain_accelerator_device) domain = NodeDomain::accelerator_device;
    }
    to.nodes.push_back({text(node.name), text(node.class_name), index.nodes[node.parent], domain,
                        properties_of(text, node.properties)});
  }
  for (const auto& group : from.location_groups) {
    const auto kind = group.type == otf2::values::location_group_accelerator ? LocationGroupKind::accelerator
                                                                             : LocationGroupKind::process;
    to.groups_of_locations.push_back({text(group.name), kind, index.nodes[group.system_tree_parent],
                                      index.location_groups[group.creating_group],
                                      properties_of(text, group.properties)});
  }
  for (const auto& location : from.locations) {
    const auto kind = location.type == otf2::values::location_accelerator_stream ? LocationKind::accelerator_stream
                                                                                 : LocationKind::cpu_thread;
    to.locations.push_back(
        {text(location.name), kind, index.location_groups[location.group], properties_of(text, location.properties)});
    if (location.type == otf2::values::location_metric)  // nothing runs there
      to.locations.back().properties.push_back({virtual_location, "metrics"});
  }
}

void add_groups(const TraceDefinitions& from, Texts& text, const Indices& index, Definitions& to) {
  for (const auto& group : from.groups) {
    Group out{text(group.name), kind_of_group(group.type), static_cast<Paradigm>(group.paradigm), {}};
    out.flags = group.flags;
    out.used = out.kind != GroupKind::other;
    for (const std::uint64_t member : group.members) {
      if (!out.used) break;
      out.members.push_back(out.kind == GroupKind::comm_group ? static_cast<std::uint32_t>(member)
                            : out.kind == GroupKind::regions  ? index.regions[member]
                                                              : index.locations[member]);
    }
    to.groups.push_back(std::move(out));
  }
  for (const auto& comm : from.comms) {
    to.comms.push_back({text(comm.name), index.groups[comm.group], index.comms[comm.parent]});
    if (comm.second_group != undefined_ref) to.comms.back().second_group = index.groups[comm.second_group];
    to.comms.back().has_events = (comm.flags & otf2::values::comm_has_events) != 0;
  }
  for (const auto& window : from.windows)
    to.windows.push_back({text(window.name), index.comms[window.comm], true, window.flags});
}

void add_io(const TraceDefinitions& from, Texts& text, const Indices& index, Definitions& to) {
  for (const auto& file : from.io_files)
    to.io_files.push_back({text(file.name), index.nodes[file.scope], file.is_directory});
  for (const auto& paradigm : from.io_paradigms)
    to.io_paradigms.push_back({text(paradigm.identification), text(paradigm.name),
                               paradigm.paradigm_class == otf2::values::io_paradigm_parallel, paradigm.flags});
  for (const auto& handle : from.io_handles)
    to.io_handles.push_back({text(handle.name), index.io_files[handle.file], index.comms[handle.comm],
                             index.io_paradigm(handle.paradigm), handle.flags, index.io_handles[handle.parent],
                             handle.pre_created});
}

/// What an instance's values are of.
void add_scope(const otf2::MetricDef& metric, const Indices& index, Metric& to) {
  switch (metric.scope_type) {
    case otf2::values::scope_location:
      to.scope_location = index.locations[metric.scope];
      break;
    case otf2::values::scope_location_group:
      to.scope_group = index.location_groups[metric.scope];
      break;
    case otf2::values::scope_system_tree_node:
      to.scope_node = index.nodes[metric.scope];
      break;
    case otf2::values::scope_group:
      to.scope_set = index.groups[metric.scope];
      break;
    default:
      break;
  }
}

/// One for each member of each class and instance.
void add_metrics(const TraceDefinitions& from, Texts& text, const Indices& index, Definitions& to) {
  for (std::size_t place = 0; place < from.metrics.size(); ++place) {
    const otf2::MetricDef& metric = from.metrics[place];
    const otf2::MetricDef* of = from.class_of(&metric);
    for (std::uint32_t i = 0; i < index.first_of_metric[place + 1] - index.first_of_metric[place]; ++i) {
      Metric out;
      const auto* member = of != nullptr && i < of->members.size() ? from.metric_members.find(of->members[i]) : nullptr;
      if (member != nullptr) {
        out.name = text(member->name);
        out.description = text(member->description);
        out.unit = text(member->unit);
        out.type = static_cast<ValueType>(member->value_type);
        out.kind = member->type, out.mode = member->mode;
        out.base = member->base, out.exponent = member->exponent;
      }
      if (of != nullptr) out.occurrence = of->occurrence;
      if (metric.is_instance) {
        out.recorder = index.locations[metric.recorder];
        add_scope(metric, index, out);
      }
      to.metrics.push_back(std::move(out));
    }
  }
}

void add_vocabulary(const TraceDefinitions& from, Texts& text, Definitions& to) {
  for (const auto& region : from.regions) {
    Region out;
    out.name = text(region.name);
    out.canonical = text(region.canonical);
    out.description = text(region.description);
    out.role = static_cast<RegionRole>(region.role);
    out.paradigm = static_cast<Paradigm>(region.paradigm);
    out.source_file = text(region.source_file);
    out.begin_line = region.begin_line;
    out.end_line = region.end_line;
    out.flags = region.flags;
    to.regions.push_back(std::move(out));
  }
  for (const auto& attribute : from.attributes) {
    to.attributes.push_back(
        {text(attribute.name), text(attribute.description), static_cast<ValueType>(attribute.type)});
  }
  for (const auto& parameter : from.parameters) {
    const EventType type = parameter.type == otf2::values::parameter_string ? EventType::parameter_string
                           : parameter.type == otf2::values::parameter_int  ? EventType::parameter_int
                                                                            : EventType::parameter_uint;
    to.parameters.push_back({text(parameter.name), type});
  }
  for (const auto& paradigm : from.paradigms) {
    ParadigmDefinition out{static_cast<Paradigm>(paradigm.ref), text(paradigm.name),
                           static_cast<ParadigmClass>(paradigm.paradigm_class), "", false};
    for (const auto& property : paradigm.properties) {
      if (property.name == otf2::values::paradigm_comm_name) out.comm_name_template = text(property.value);
      if (property.name == otf2::values::paradigm_rma_only) out.rma_only = property.value != 0;
    }
    to.paradigms.push_back(std::move(out));
  }
  for (const auto& string : from.strings) to.strings.push_back(shown(string.text));
}

}  // namespace

GroupKind kind_of_group(std::uint8_t type) noexcept {
  switch (type) {
    case otf2::values::group_comm_locations:
      return GroupKind::comm_locations;
    case otf2::values::group_comm_group:
      return GroupKind::comm_group;
    case otf2::values::group_comm_self:
      return GroupKind::comm_self;
    case otf2::values::group_locations:
      return GroupKind::locations;
    case otf2::values::group_regions:
      return GroupKind::regions;
    default:
      return GroupKind::other;
  }
}

/// Instances of a class with many members take little room in an archive: beyond this many only first members are
/// there.
std::vector<std::uint32_t> places_of_metrics(const otf2::TraceDefinitions& from) {
  constexpr std::size_t most = 1 << 18;
  std::vector<std::uint32_t> places{0};
  for (const otf2::MetricDef& metric : from.metrics) {
    if (!metric.is_instance && metric.recorder_kind == otf2::values::recorder_abstract) {
      places.push_back(places.back());  // its instances have the events
      continue;
    }
    const otf2::MetricDef* of = from.class_of(&metric);
    const std::size_t members = of != nullptr && places.back() < most ? of->members.size() : 1;
    places.push_back(places.back() + static_cast<std::uint32_t>(std::max<std::size_t>(members, 1)));
  }
  return places;
}

Definitions definitions_of(const otf2::Trace& trace, const Indices& index) {
  const TraceDefinitions& from = trace.definitions();
  Texts text{trace};
  Definitions to;
  to.clock = from.clock;
  add_locations(from, text, index, to);
  add_groups(from, text, index, to);
  add_io(from, text, index, to);
  add_metrics(from, text, index, to);
  add_vocabulary(from, text, to);
  for (const Property& property : trace.info().properties)
    to.properties.push_back({shown(property.name), shown_lines(property.value)});
  to.creator = shown(trace.info().creator);
  to.description = shown_lines(trace.info().description);
  return to;
}

}  // namespace tracer::otf2
