// SPDX-License-Identifier: BSD-3-Clause
// See definition_writer.hpp.
#include "formats/otf2/write/definition_writer.hpp"

#include <algorithm>
#include <utility>

#include "formats/otf2/write/library.hpp"
#include "tracer/value_text.hpp"

namespace tracer::otf2 {
namespace {

OTF2_SystemTreeDomain domain_of(NodeDomain domain) noexcept {
  switch (domain) {
    case NodeDomain::machine:
      return OTF2_SYSTEM_TREE_DOMAIN_MACHINE;
    case NodeDomain::accelerator_device:
      return OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE;
    case NodeDomain::shared_memory:
    case NodeDomain::none:
      break;
  }
  return OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY;
}

OTF2_GroupType type_of(GroupKind kind) noexcept {
  switch (kind) {
    case GroupKind::comm_locations:
      return OTF2_GROUP_TYPE_COMM_LOCATIONS;
    case GroupKind::comm_group:
      return OTF2_GROUP_TYPE_COMM_GROUP;
    case GroupKind::comm_self:
      return OTF2_GROUP_TYPE_COMM_SELF;
    case GroupKind::locations:
      return OTF2_GROUP_TYPE_LOCATIONS;
    case GroupKind::regions:
      return OTF2_GROUP_TYPE_REGIONS;
    case GroupKind::other:
      break;
  }
  return OTF2_GROUP_TYPE_UNKNOWN;
}

OTF2_AttributeValue string_value(OTF2_StringRef ref) noexcept {
  OTF2_AttributeValue value{};
  value.stringRef = ref;
  return value;
}

}  // namespace

DefinitionWriter::DefinitionWriter(OTF2_GlobalDefWriter* writer, const Definitions& definitions,
                                   const Numbering& numbering, const Archive& archive)
    : writer_(writer),
      definitions_(definitions),
      numbering_(numbering),
      archive_(archive),
      level_(otf2_library_has_level_3_1() ? archive.level() : Otf2Level::v3_0),
      strings_(definitions.strings),
      left_out_(definitions.unused_strings) {
  left_out_.resize(definitions.strings.size());
  if (!left_out_.empty()) left_out_[0] = false;  // "" is always there
}

void DefinitionWriter::write() {
  clock();
  const auto& fixed = definitions_.strings;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (left_out_[i]) continue;
    check(OTF2_GlobalDefWriter_WriteString(writer_, static_cast<OTF2_StringRef>(i),
                                           fixed[i].substr(0, max_string).c_str()),
          "string");
  }
  if (strings_.size() > fixed.size())
    check(OTF2_GlobalDefWriter_WriteString(writer_, strings_.size() - 1, ""), "string");
  paradigms();
  attributes();
  parameters();
  system_tree();
  location_groups();
  locations();
  regions();
  groups();
  io();
  metrics();
}

OTF2_AttributeValue DefinitionWriter::value_of(const Property& property) {
  if (property.type == ValueType::string) return string_value(string(property.value));
  OTF2_AttributeValue value{};
  value.uint64 = bits_of(property.type, property.value);  // the type's are the lowest
  return value;
}

OTF2_StringRef DefinitionWriter::string(const std::string& text) {
  auto [ref, is_new] = strings_.intern(text);
  if (ref < left_out_.size() && left_out_[ref]) {  // no event refers to it, another definition does
    left_out_[ref] = false;
    is_new = true;
  }
  if (is_new) check(OTF2_GlobalDefWriter_WriteString(writer_, ref, text.substr(0, max_string).c_str()), "string");
  return ref;
}

void DefinitionWriter::clock() {
  const auto& c = definitions_.clock;
  check(OTF2_GlobalDefWriter_WriteClockProperties(writer_, c.resolution, c.offset, c.length, c.realtime), "clock");
}

void DefinitionWriter::paradigms() {
  for (const auto& p : definitions_.paradigms) {
    const auto self = paradigm(p.paradigm);
    check(OTF2_GlobalDefWriter_WriteParadigm(writer_, self, string(p.name),
                                             static_cast<OTF2_ParadigmClass>(p.paradigm_class)),
          "paradigm");
    if (!p.comm_name_template.empty()) {
      check(OTF2_GlobalDefWriter_WriteParadigmProperty(writer_, self, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE,
                                                       OTF2_TYPE_STRING, string_value(string(p.comm_name_template))),
            "paradigm property");
    }
    if (p.rma_only) {
      OTF2_AttributeValue value{};
      value.uint8 = 1;
      check(OTF2_GlobalDefWriter_WriteParadigmProperty(writer_, self, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8,
                                                       value),
            "paradigm property");
    }
  }
}

void DefinitionWriter::system_tree() {
  for (OTF2_SystemTreeNodeRef i = 0; i < definitions_.nodes.size(); ++i) {
    const auto& node = definitions_.nodes[i];
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer_, i, string(node.name), string(node.class_name), node.parent),
          "system tree node");
    if (node.domain != NodeDomain::none) {
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer_, i, domain_of(node.domain)), "system tree domain");
    }
    for (const Property& property : node.properties) {
      check(OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(writer_, i, string(property.name),
                                                             static_cast<OTF2_Type>(property.type), value_of(property)),
            "system tree property");
    }
  }
}

void DefinitionWriter::location_groups() {
  for (OTF2_LocationGroupRef i = 0; i < definitions_.groups_of_locations.size(); ++i) {
    const auto& group = definitions_.groups_of_locations[i];
    const auto type = group.kind == LocationGroupKind::process ? OTF2_LOCATION_GROUP_TYPE_PROCESS
                                                               : OTF2_LOCATION_GROUP_TYPE_ACCELERATOR;
    check(OTF2_GlobalDefWriter_WriteLocationGroup(writer_, i, string(group.name), type, group.system_tree_parent,
                                                  group.creating_group),
          "location group");
    std::vector<Property> all = group.properties;
    if (i == 0)
      for (Property& property : divided(definitions_.properties).of_group) all.push_back(std::move(property));
    for (const Property& property : all) {
      check(OTF2_GlobalDefWriter_WriteLocationGroupProperty(writer_, i, string(property.name),
                                                            static_cast<OTF2_Type>(property.type), value_of(property)),
            "location group property");
    }
  }
}

void DefinitionWriter::locations() {
  for (std::size_t i = 0; i < definitions_.locations.size(); ++i) {
    const auto& location = definitions_.locations[i];
    const auto type = location.kind == LocationKind::cpu_thread ? OTF2_LOCATION_TYPE_CPU_THREAD
                                                                : OTF2_LOCATION_TYPE_ACCELERATOR_STREAM;
    check(OTF2_GlobalDefWriter_WriteLocation(writer_, i, string(location.name), type, archive_.events_of(i),
                                             location.group),
          "location");
    for (const Property& property : location.properties) {
      check(OTF2_GlobalDefWriter_WriteLocationProperty(writer_, i, string(property.name),
                                                       static_cast<OTF2_Type>(property.type), value_of(property)),
            "location property");
    }
  }
}

void DefinitionWriter::regions() {
  for (OTF2_RegionRef i = 0; i < definitions_.regions.size(); ++i) {
    const auto& r = definitions_.regions[i];
    check(OTF2_GlobalDefWriter_WriteRegion(writer_, i, string(r.name), string(r.canonical), string(r.description),
                                           role(r.role), paradigm(r.paradigm), r.flags, string(r.source_file),
                                           r.begin_line, r.end_line),
          "region");
  }
}

void DefinitionWriter::groups() {
  std::vector<std::uint64_t> members;
  for (OTF2_GroupRef i = 0; i < definitions_.groups.size(); ++i) {
    const auto& group = definitions_.groups[i];
    if (!group.used) continue;
    members.assign(group.members.begin(), group.members.end());
    std::replace(members.begin(), members.end(), std::uint64_t{undefined_ref}, ~std::uint64_t{0});
    check(OTF2_GlobalDefWriter_WriteGroup(writer_, numbering_.group(i), string(group.name), type_of(group.kind),
                                          paradigm(group.paradigm), group.flags,
                                          static_cast<std::uint32_t>(members.size()), members.data()),
          "group");
  }
  for (OTF2_CommRef i = 0; i < definitions_.comms.size(); ++i) {
    const auto& comm = definitions_.comms[i];
    if (!comm.used) continue;
    const auto parent = numbering_.comm(comm.parent);
    const OTF2_CommFlag flags = comm.has_events ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS : OTF2_COMM_FLAG_NONE;
    if (comm.second_group == undefined_ref) {
      check(OTF2_GlobalDefWriter_WriteComm(writer_, numbering_.comm(i), string(comm.name), numbering_.group(comm.group),
                                           parent, flags),
            "comm");
    } else {
      check(OTF2_GlobalDefWriter_WriteInterComm(writer_, numbering_.comm(i), string(comm.name),
                                                numbering_.group(comm.group), numbering_.group(comm.second_group),
                                                parent, flags),
            "comm");
    }
  }
  for (OTF2_RmaWinRef i = 0; i < definitions_.windows.size(); ++i) {
    const auto& window = definitions_.windows[i];
    if (!window.used) continue;
    check(OTF2_GlobalDefWriter_WriteRmaWin(writer_, numbering_.window(i), string(window.name),
                                           numbering_.comm(window.comm), window.flags),
          "RMA window");
  }
}

void DefinitionWriter::io() {
  std::vector<IoParadigm> paradigms = definitions_.io_paradigms;
  const bool is_used = !definitions_.io_files.empty() || !definitions_.io_handles.empty();
  if (paradigms.empty() && is_used) paradigms.push_back({"MPI-IO", "MPI-IO", true});
  for (std::size_t i = 0; i < paradigms.size(); ++i) {
    const auto kind = paradigms[i].is_parallel ? OTF2_IO_PARADIGM_CLASS_PARALLEL : OTF2_IO_PARADIGM_CLASS_SERIAL;
    check(OTF2_GlobalDefWriter_WriteIoParadigm(writer_, static_cast<OTF2_IoParadigmRef>(i),
                                               string(paradigms[i].identification), string(paradigms[i].name), kind,
                                               paradigms[i].flags, 0, nullptr, nullptr, nullptr),
          "I/O paradigm");
  }
  for (OTF2_IoFileRef i = 0; i < definitions_.io_files.size(); ++i) {
    const IoFile& file = definitions_.io_files[i];
    check(file.is_directory ? OTF2_GlobalDefWriter_WriteIoDirectory(writer_, i, string(file.name), file.scope)
                            : OTF2_GlobalDefWriter_WriteIoRegularFile(writer_, i, string(file.name), file.scope),
          "I/O file");
  }
  for (OTF2_IoHandleRef i = 0; i < definitions_.io_handles.size(); ++i) {
    const IoHandle& handle = definitions_.io_handles[i];
    check(OTF2_GlobalDefWriter_WriteIoHandle(writer_, i, string(handle.name), handle.file,
                                             static_cast<OTF2_IoParadigmRef>(handle.paradigm), handle.flags,
                                             numbering_.comm(handle.comm), handle.parent),
          "I/O handle");
    if (handle.pre_created)
      check(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(writer_, i, handle.pre_created->access,
                                                              handle.pre_created->status),
            "state of an I/O handle");
  }
}

void DefinitionWriter::attributes() {
  for (OTF2_AttributeRef i = 0; i < definitions_.attributes.size(); ++i) {
    const auto& a = definitions_.attributes[i];
    if (!a.used) continue;
    check(OTF2_GlobalDefWriter_WriteAttribute(writer_, numbering_.attribute(i), string(a.name), string(a.description),
                                              static_cast<OTF2_Type>(a.type)),
          "attribute");
  }
}

void DefinitionWriter::parameters() {
  for (OTF2_ParameterRef i = 0; i < definitions_.parameters.size(); ++i) {
    const auto& p = definitions_.parameters[i];
    if (!p.used) continue;
    const auto type = p.type == EventType::parameter_string ? OTF2_PARAMETER_TYPE_STRING
                      : p.type == EventType::parameter_int  ? OTF2_PARAMETER_TYPE_INT64
                                                            : OTF2_PARAMETER_TYPE_UINT64;
    check(OTF2_GlobalDefWriter_WriteParameter(writer_, numbering_.parameter(i), string(p.name), type), "parameter");
  }
}

void DefinitionWriter::metrics() {
  for (std::uint32_t i = 0; i < definitions_.metrics.size(); ++i) {
    const auto& m = definitions_.metrics[i];
    const auto self = archive_.metric_ref(i);
    if (m.recorder == undefined_ref) {
      metric_class(self, m, OTF2_RECORDER_KIND_UNKNOWN);  // locations of any kind
    } else {
      metric_class(self - 1, m, OTF2_RECORDER_KIND_ABSTRACT);  // only its instance is recorded
      metric_instance(self, self - 1, m);
    }
  }
}

OTF2_MetricMemberRef DefinitionWriter::metric_member(const Metric& m) {
  const auto next = static_cast<OTF2_MetricMemberRef>(metric_members_.size());
  const auto [member, is_new] = metric_members_.emplace(
      std::tuple{m.name, m.description, m.unit, m.type, m.kind, m.mode, m.base, m.exponent}, next);
  if (is_new) {
    check(OTF2_GlobalDefWriter_WriteMetricMember(writer_, next, string(m.name), string(m.description), m.kind, m.mode,
                                                 static_cast<OTF2_Type>(m.type), m.base, m.exponent, string(m.unit)),
          "metric member");
  }
  return member->second;
}

void DefinitionWriter::metric_class(OTF2_MetricRef self, const Metric& metric, OTF2_RecorderKind recorder) {
  const OTF2_MetricMemberRef member = metric_member(metric);
  check(OTF2_GlobalDefWriter_WriteMetricClass(writer_, self, 1, &member, metric.occurrence, recorder), "metric class");
}

void DefinitionWriter::metric_instance(OTF2_MetricRef self, OTF2_MetricRef of_class, const Metric& metric) {
  OTF2_MetricScope scope = OTF2_SCOPE_LOCATION_GROUP;
  std::uint64_t of = metric.scope_group;
  if (metric.scope_location != undefined_ref) {
    scope = OTF2_SCOPE_LOCATION;
    of = metric.scope_location;
  } else if (metric.scope_node != undefined_ref) {
    scope = OTF2_SCOPE_SYSTEM_TREE_NODE;
    of = metric.scope_node;
  } else if (metric.scope_set != undefined_ref) {
    scope = OTF2_SCOPE_GROUP;
    of = numbering_.group(metric.scope_set);
  }
  check(OTF2_GlobalDefWriter_WriteMetricInstance(writer_, self, of_class, metric.recorder, scope, of),
        "metric instance");
}

OTF2_Paradigm DefinitionWriter::paradigm(Paradigm value) const noexcept {
  // A directive-based accelerator paradigm is the nearest that level 3.0 has.
  if (value == Paradigm::openmp_target && level_ == Otf2Level::v3_0) return OTF2_PARADIGM_OPENACC;
  return static_cast<OTF2_Paradigm>(value);
}

OTF2_RegionRole DefinitionWriter::role(RegionRole value) const noexcept {
  if (level_ == Otf2Level::v3_0) {
    if (value == RegionRole::cancel) return OTF2_REGION_ROLE_ARTIFICIAL;
    if (value == RegionRole::kernel) return OTF2_REGION_ROLE_FUNCTION;
  }
  return static_cast<OTF2_RegionRole>(value);
}

}  // namespace tracer::otf2
