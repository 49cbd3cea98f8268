// SPDX-License-Identifier: BSD-3-Clause
// See definition_reader.hpp.
#include "formats/otf2/read/definition_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "formats/otf2/read/definition_table.hpp"
#include "formats/otf2/read/record_file.hpp"
#include "tracer/number_map.hpp"

namespace tracer::otf2 {
namespace {

/// The undefined reference of a kind is all ones in its width.
bool is_undefined(ReferenceKind kind, std::uint64_t ref) noexcept {
  if (kind == ReferenceKind::location) return ref == undefined_location;
  if (kind == ReferenceKind::paradigm || kind == ReferenceKind::io_paradigm) return ref == 0xff;
  return ref == undefined_ref;
}

class Builder {
 public:
  explicit Builder(TraceDefinitions& out) : out_(out) {}

  void add(const DefinitionRecord& record) {
    record_ = &record;
    ++out_.records;
    using enum DefinitionKind;
    switch (record.kind) {
      case clock_properties:
        return add_clock();
      case paradigm:
        return keep(out_.paradigms, ParadigmDef{at(0), at32(1), at8(2), {}});
      case paradigm_property:
        return attach(out_.paradigms.find(at(0)), {at32(1), at8(2), at(3)});
      case string:
        return keep(out_.strings, StringDef{at(0), std::string{record.text}});
      case attribute:
        return keep(out_.attributes, AttributeDef{at(0), at32(1), record.fields > 3 ? at32(3) : 0, at8(2)});
      case system_tree_node:
        return keep(out_.nodes, SystemNodeDef{at(0), at32(1), at32(2), at32(3), {}, {}});
      case system_tree_node_property:
        return attach(out_.nodes.find(at(0)), value_of_property());
      case system_tree_node_domain:
        return add_domain();
      case location_group:
        return keep(out_.location_groups, LocationGroupDef{at(0), at32(1), at8(2), at32(3), or_undefined(4), {}});
      case location_group_property:
        return attach(out_.location_groups.find(at(0)), value_of_property());
      case location:
        return keep(out_.locations, LocationDef{at(0), at32(1), at8(2), at(3), at32(4), {}});
      case location_property:
        return attach(out_.locations.find(at(0)), value_of_property());
      case region:
        return add_region();
      case group:
        return keep(out_.groups,
                    GroupDef{at(0), at32(1), record.fields > 5 ? at8(5) : at8(2), at8(6), at32(7), record.list});
      case comm:
        return keep(out_.comms, CommDef{at(0), at32(1), at32(2), undefined_ref, at32(3), at32(4)});
      case inter_comm:
        return keep(out_.comms, CommDef{at(0), at32(1), at32(2), at32(3), at32(4), at32(5)});
      case rma_win:
        return keep(out_.windows, RmaWindowDef{at(0), at32(1), at32(2), at32(3)});
      case io_paradigm:
        return keep(out_.io_paradigms, IoParadigmDef{at(0), at32(1), at32(2), at8(3), at32(4)});
      case io_regular_file:
      case io_directory:
        return keep(out_.io_files, IoFileDef{at(0), at32(1), at32(2), record.kind == io_directory});
      case io_handle:
        return keep(out_.io_handles, IoHandleDef{at(0), at32(1), at32(2), at8(3), at32(4), at32(5), at32(6)});
      case io_pre_created_handle_state:
        return add_handle_state();
      case parameter:
        return keep(out_.parameters, ParameterDef{at(0), at32(1), at8(2)});
      case metric_member:
        return add_metric_member();
      case metric_class:
        return keep(out_.metrics,
                    MetricDef{.ref = at(0), .members = record.list, .occurrence = at8(3), .recorder_kind = at8(4)});
      case metric_instance:
        return keep(out_.metrics, MetricDef{.ref = at(0),
                                            .is_instance = true,
                                            .members = {},
                                            .metric_class = at32(1),
                                            .recorder = at(2),
                                            .scope_type = at8(3),
                                            .scope = at(4)});
      case source_code_location:
        return keep(out_.source_code_locations, SourceCodeLocationDef{at(0), at32(1), at32(2)});
      case calling_context:
        return keep(out_.calling_contexts, CallingContextDef{at(0), at32(1), at32(2), at32(3)});
      case interrupt_generator:
        return keep(out_.interrupt_generators,
                    InterruptGeneratorDef{at(0), at32(1), at8(2), at8(3), static_cast<std::int64_t>(at(4)), at(5)});
      default:
        break;
    }
    ++out_.without_table[row_of(record.kind).name];
    const auto kind = row_of(record.kind).defines;
    const bool named = record.fields > 1 && row_of(record.kind).field[1].refers_to == ReferenceKind::string;
    if (kind != ReferenceKind::none)
      keep(out_.others[static_cast<std::size_t>(kind)], OtherDef{at(0), named ? at32(1) : undefined_ref});
  }

 private:
  std::uint64_t at(std::size_t i) const { return record_->field[i]; }
  std::uint32_t at32(std::size_t i) const { return static_cast<std::uint32_t>(at(i)); }
  std::uint8_t at8(std::size_t i) const { return static_cast<std::uint8_t>(at(i)); }
  std::uint32_t or_undefined(std::uint8_t i) const { return record_->fields > i ? at32(i) : undefined_ref; }

  std::string label() const { return std::string{row_of(record_->kind).name} + " " + std::to_string(at(0)); }

  template <typename T>
  void keep(Table<T>& table, T item) {
    if (!table.add(std::move(item))) out_.duplicates.push_back(label());
  }
  template <typename T>
  void attach(T* owner, NamedProperty property) {
    if (owner == nullptr) {
      out_.orphans.push_back(label());
    } else {
      owner->properties.push_back(property);
    }
  }
  /// Before OTF2 2.0 a property had only a string.
  NamedProperty value_of_property() const {
    if (record_->fields > 4) return {at32(1), at8(3), at(4)};
    return {at32(1), values::type_string, at(2)};
  }
  void add_clock() {
    ++out_.clock_definitions;
    out_.clock = {at(0), at(1), at(2), record_->fields > 3 ? at(3) : undefined_location};
  }
  void add_domain() {
    auto* node = out_.nodes.find(at(0));
    if (node == nullptr) return out_.orphans.push_back(label());
    node->domains.push_back(at8(1));
  }
  void add_handle_state() {
    auto* handle = out_.io_handles.find(at(0));
    if (handle == nullptr) return out_.orphans.push_back(label());
    handle->pre_created = {at8(1), at32(2)};
  }
  void add_region() {
    RegionDef region{.ref = at(0),
                     .name = at32(1),
                     .canonical = at32(1),
                     .description = at32(2),
                     .source_file = at32(4),
                     .begin_line = at32(5),
                     .end_line = at32(6)};
    if (record_->fields > 7) {
      region.canonical = at32(7);
      region.role = at8(8);
      region.paradigm = at8(9);
      region.flags = at32(10);
    }
    keep(out_.regions, region);
  }
  void add_metric_member() {
    keep(out_.metric_members, MetricMemberDef{at(0), at32(1), at32(2), at8(3), at8(4), at8(5), at8(6),
                                              static_cast<std::int64_t>(at(7)), at32(8)});
  }

  TraceDefinitions& out_;
  const DefinitionRecord* record_ = nullptr;
};

/// The reference kind that a property's value names, by its OTF2_Type.
ReferenceKind kind_of_type(std::uint8_t type) noexcept {
  return type >= 11 && type <= 25 ? static_cast<ReferenceKind>(type - 10) : ReferenceKind::none;
}

void visit_one(const DefinitionRecord& record, const std::function<void(const ReferenceUse&)>& visit) {
  const auto& row = row_of(record.kind);
  const auto say = [&](std::size_t i, ReferenceKind kind, std::uint64_t ref) {
    if (!is_undefined(kind, ref)) visit({row.name, record.field[0], row.field[i].name, kind, ref});
  };
  for (std::size_t i = 0; i < record.fields; ++i) {
    const auto& field = row.field[i];
    if (field.stored == Stored::list32 || field.stored == Stored::list64) {
      if (field.refers_to == ReferenceKind::none) continue;
      for (const auto ref : record.list) say(i, field.refers_to, ref);
    } else if (field.stored == Stored::value) {
      if (const auto kind = kind_of_type(record.value_type); kind != ReferenceKind::none) say(i, kind, record.field[i]);
    } else if (field.refers_to != ReferenceKind::none) {
      const bool old_string = field.name == "string" && record.fields > 4;  // the typed value counts
      if (!old_string) say(i, field.refers_to, record.field[i]);
    }
  }
  if (record.kind == DefinitionKind::group && record.fields > 5) {
    const auto kind = record.field[5] == values::group_locations || record.field[5] == values::group_comm_locations
                          ? ReferenceKind::location
                      : record.field[5] == values::group_regions              ? ReferenceKind::region
                      : record.field[5] == values::group_comm_location_groups ? ReferenceKind::location_group
                                                                              : ReferenceKind::none;
    for (const auto ref : record.list) {
      if (kind != ReferenceKind::none) say(4, kind, ref);
    }
  }
  if (record.kind == DefinitionKind::metric_instance) {
    constexpr ReferenceKind scopes[] = {ReferenceKind::location, ReferenceKind::location_group,
                                        ReferenceKind::system_tree_node, ReferenceKind::group};
    if (record.field[3] < 4) say(4, scopes[record.field[3]], record.field[4]);
  }
}

/// A group whose ranks are processes (since OTF2 3.2) becomes one of the processes' first threads, as older archives
/// have it: which thread of a process stands for it has no meaning.
void name_ranks_by_location(TraceDefinitions& out) {
  const auto is_of_processes = [](const GroupDef& group) { return group.type == values::group_comm_location_groups; };
  if (std::none_of(out.groups.begin(), out.groups.end(), is_of_processes)) return;
  NumberMap<std::uint64_t> first;
  for (const LocationDef& location : out.locations)
    if (location.type == values::location_cpu_thread) first.emplace(location.group, location.ref);
  for (const LocationDef& location : out.locations) first.emplace(location.group, location.ref);
  for (std::size_t i = 0; i < out.groups.size(); ++i) {
    GroupDef& group = *out.groups.find(out.groups[i].ref);
    if (!is_of_processes(group)) continue;
    group.type = values::group_comm_locations;
    for (std::uint64_t& member : group.members) {
      const auto found = first.find(member);
      member = found == first.end() ? undefined_location : found->second;
    }
  }
}

template <typename Use>
void for_each_record(const std::filesystem::path& path, Use&& use) {
  RecordFile file{path};
  DefinitionRecord record;
  while (file.next()) {
    const auto kind = static_cast<DefinitionKind>(file.kind());
    if (row_of(kind).name.empty()) continue;  // of a later version
    if (!decode(kind, file.body(), record)) file.damaged("a definition's fields do not fit its length");
    use(record);
  }
}

}  // namespace

TraceDefinitions read_definitions(const std::filesystem::path& file) {
  TraceDefinitions out;
  Builder builder{out};
  for_each_record(file, [&](const DefinitionRecord& record) { builder.add(record); });
  name_ranks_by_location(out);
  return out;
}

void read_references(const std::filesystem::path& file, const std::function<void(const ReferenceUse&)>& visit) {
  for_each_record(file, [&](const DefinitionRecord& record) { visit_one(record, visit); });
}

bool TraceDefinitions::defined(ReferenceKind kind, std::uint64_t ref) const {
  using enum ReferenceKind;
  switch (kind) {
    case string:
      return strings.contains(ref);
    case attribute:
      return attributes.contains(ref);
    case location:
      return locations.contains(ref);
    case region:
      return regions.contains(ref);
    case group:
      return groups.contains(ref);
    case metric:
      return metrics.contains(ref);
    case comm:
      return comms.contains(ref);
    case parameter:
      return parameters.contains(ref);
    case rma_window:
      return windows.contains(ref);
    case io_paradigm:
      return io_paradigms.contains(ref);
    case io_file:
      return io_files.contains(ref);
    case io_handle:
      return io_handles.contains(ref);
    case source_code_location:
      return source_code_locations.contains(ref);
    case calling_context:
      return calling_contexts.contains(ref);
    case interrupt_generator:
      return interrupt_generators.contains(ref);
    case location_group:
      return location_groups.contains(ref);
    case system_tree_node:
      return nodes.contains(ref);
    case metric_member:
      return metric_members.contains(ref);
    case paradigm:
      return paradigms.contains(ref);
    default:
      break;
  }
  return others[static_cast<std::size_t>(kind)].contains(ref);
}

}  // namespace tracer::otf2
