// SPDX-License-Identifier: BSD-3-Clause
// Defines devices top down: node, group, streams, communicator and window, regions, metric.
#include "tracer/translate/devices/definitions.hpp"

#include <algorithm>

#include "tracer/device_names.hpp"
#include "tracer/property_names.hpp"
#include "tracer/translate/devices/regions.hpp"
#include "tracer/translate/devices/shapes.hpp"

namespace tracer::translate {
namespace {

struct ParadigmRow {
  Paradigm paradigm;
  const char* name;
  const char* node_class;
};
/// By DeviceInfo::paradigm_hint; a sink of level 3.0 writes openmp_target as the nearest it has.
constexpr ParadigmRow paradigm_rows[] = {
    {Paradigm::openmp_target, "OpenMP target", "OpenMP Device"},
    {Paradigm::cuda, "CUDA", "CUDA Device"},
    {Paradigm::hip, "HIP", "HIP Device"},
    {Paradigm::opencl, "OpenCL", "OpenCL Device"},
    {Paradigm::openmp_target, "OpenMP target", "OpenMP Device"},
};

const ParadigmRow& row_of_device(const DeviceInfo& info) {
  return paradigm_rows[info.paradigm_hint < std::size(paradigm_rows) ? info.paradigm_hint : 0];
}

const char* name_of(DeviceProviderKind provider) {
  switch (provider) {
    case DeviceProviderKind::ompt:
      return "ompt";
    case DeviceProviderKind::cupti:
      return "cupti";
    case DeviceProviderKind::host:
      return "host";
    default:
      return "none";
  }
}

/// Modules that were loaded onto a device, as "file, 1234 bytes".
void add_modules(const Journal& journal, std::int32_t number, std::vector<Property>& properties) {
  std::size_t n = 0;
  for (const DeviceModule& module : journal.device_modules) {
    if (module.device != number) continue;
    const std::string text = module.file.empty() ? "module " + std::to_string(module.module_id) : module.file;
    properties.push_back(
        {properties::module + std::to_string(n++), text + ", " + std::to_string(module.bytes) + " bytes"});
  }
}

std::uint32_t define_node(const DeviceInfo& info, const Journal& journal, Definitions& d) {
  SystemTreeNode node;
  const auto name = info.properties.find("name");
  node.name = "Device " + std::to_string(info.number);
  if (name != info.properties.end() && !name->second.empty())
    node.name += " (" + name->second + ")";
  else if (!info.type.empty())
    node.name += " (" + info.type + ")";
  node.class_name = row_of_device(info).node_class;
  node.domain = NodeDomain::accelerator_device;
  node.parent = d.nodes.size() > 1 ? 1 : 0;
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) node.properties.push_back({key, value});
  };
  add(properties::device, std::to_string(info.number));
  add(properties::device_type, info.type);
  add(properties::device_documentation, info.documentation);
  add(properties::provider, name_of(info.provider));
  add(properties::provider_reason, info.provider_reason);
  for (const auto& [key, value] : info.properties) add((properties::ours + key).c_str(), value);
  add_modules(journal, info.number, node.properties);
  d.nodes.push_back(std::move(node));
  return static_cast<std::uint32_t>(d.nodes.size() - 1);
}

void define_stream(const DeviceTrack& track, const DeviceStream* stream, const DeviceInfo& info, std::uint32_t group,
                   Definitions& d, DeviceDefinitions& out) {
  Location location;
  location.name = stream ? stream->name : "Device " + std::to_string(track.number) + " memory";
  location.kind = LocationKind::accelerator_stream;
  location.group = group;
  location.properties.push_back({properties::provider, name_of(stream ? stream->provider : info.provider)});
  if (stream && stream->provider_stream) {
    location.properties.push_back({properties::stream, std::to_string(stream->provider_stream)});
  }
  if (stream && stream->virtual_index) {
    location.properties.push_back({properties::overlaps, std::to_string(stream->virtual_index)});
  }
  out.locations.push_back({static_cast<LocationRef>(d.locations.size()), stream, &track, undefined_ref, 0, {}});
  d.locations.push_back(std::move(location));
}

void define_device(const DeviceTrack& track, const Journal& journal, Definitions& d, DeviceDefinitions& out) {
  if (track.streams.empty() && track.metrics.empty()) return;
  const DeviceInfo& info = journal.devices.at(track.journal_index);
  const auto node = define_node(info, journal, d);
  const auto group = static_cast<std::uint32_t>(d.groups_of_locations.size());
  d.groups_of_locations.push_back({d.nodes[node].name, LocationGroupKind::accelerator, node, 0, {}});
  const auto first = out.locations.size();
  for (const DeviceStream& stream : track.streams) define_stream(track, &stream, info, group, d, out);
  if (track.streams.empty()) define_stream(track, nullptr, info, group, d, out);
  auto& recorder = out.locations[first];
  for (const auto& [metric, samples] : track.metrics) {
    const DeviceMetricName& names = names_of(metric);
    recorder.metrics.push_back({static_cast<std::uint32_t>(d.metrics.size()), &samples});
    d.metrics.push_back({names.name, std::string(names.description) + " on device " + std::to_string(track.number),
                         names.unit, recorder.location, group});
  }
}

bool moves_data(const DeviceLocation& l) {
  return l.stream &&
         std::any_of(l.stream->operations.begin(), l.stream->operations.end(), [](const DeviceOperation& o) {
           return o.kind == DeviceRecordKind::transfer_to_device || o.kind == DeviceRecordKind::transfer_from_device ||
                  o.kind == DeviceRecordKind::transfer_peer;
         });
}

/// A window over all host threads and all streams of one paradigm; none when nothing was moved.
void define_window(const ParadigmRow& row, const std::vector<DeviceLocation*>& streams, std::size_t host_threads,
                   Definitions& d, DeviceDefinitions& out) {
  d.paradigms.push_back({row.paradigm, row.name, ParadigmClass::accelerator, "", true});
  if (std::none_of(streams.begin(), streams.end(), [](const DeviceLocation* l) { return moves_data(*l); })) return;
  Group locations{row.name, GroupKind::comm_locations, row.paradigm, {}};
  for (std::uint32_t l = 0; l < host_threads; ++l) locations.members.push_back(l);
  for (DeviceLocation* l : streams) {
    l->rank = static_cast<std::uint32_t>(locations.members.size());
    out.first_rank.try_emplace(l->track->number, l->rank);
    locations.members.push_back(l->location);
  }
  Group members{std::string(row.name) + " transfers", GroupKind::comm_group, row.paradigm, {}};
  for (std::uint32_t i = 0; i < locations.members.size(); ++i) members.members.push_back(i);
  d.groups.push_back(std::move(locations));
  d.groups.push_back(std::move(members));
  d.comms.push_back(
      {std::string(row.name) + " transfers", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  const auto window = static_cast<std::uint32_t>(d.windows.size());
  d.windows.push_back({std::string(row.name) + " transfers", static_cast<CommRef>(d.comms.size() - 1)});
  for (DeviceLocation* l : streams) l->window = window;
}

void define_windows(const Journal& journal, std::size_t host_threads, Definitions& d, DeviceDefinitions& out) {
  std::map<std::string, std::vector<DeviceLocation*>> by_paradigm;
  std::map<std::string, const ParadigmRow*> rows;
  for (DeviceLocation& l : out.locations) {
    const ParadigmRow& row = row_of_device(journal.devices.at(l.track->journal_index));
    by_paradigm[row.name].push_back(&l);
    rows[row.name] = &row;
  }
  for (const auto& [name, streams] : by_paradigm) define_window(*rows[name], streams, host_threads, d, out);
}

void define_values(const Journal& journal, Definitions& d, DeviceDefinitions& out) {
  Shapes shapes(journal, d, out);
  bool linked = false, targets = false, correlated = false, kernels = false, requested = false, granted = false,
       sets = false;
  for (const DeviceLocation& l : out.locations) {
    if (!l.stream) continue;
    for (const DeviceOperation& o : l.stream->operations) {
      shapes.take(l, o);
      linked |= o.host_op_id != no_id;
      targets |= o.target_id != no_id;
      correlated |= o.correlation != 0;
      sets |= has_bytes_attribute(o.kind) && o.bytes != 0;
      if (o.kind != DeviceRecordKind::kernel) continue;
      kernels |= o.host_op_id != no_id;
      requested |= o.requested_teams != 0;
      granted |= o.granted_teams != 0;
    }
  }
  if (linked)
    out.host_op_id = find_or_add(
        d.attributes, AttributeDefinition{"HOST_OP_ID", "unique id of the operation on the device", ValueType::uint64});
  if (targets)
    out.target_id = find_or_add(
        d.attributes, AttributeDefinition{"TARGET_ID", "unique id of the target construct", ValueType::uint64});
  if (correlated)
    out.correlation = find_or_add(
        d.attributes, AttributeDefinition{"CORRELATION_ID", "the provider's id of the operation", ValueType::uint64});
  if (sets)
    out.bytes = find_or_add(
        d.attributes,
        AttributeDefinition{"ALLOCATION_SIZE", "bytes allocated, freed, moved or mapped", ValueType::uint64});
  if (kernels)
    out.callsite_id = find_or_add(d.parameters, ParameterDefinition{"callsite id", EventType::parameter_uint});
  if (requested)
    out.teams_requested = find_or_add(d.parameters, ParameterDefinition{"teams requested", EventType::parameter_uint});
  if (granted)
    out.teams_granted = find_or_add(d.parameters, ParameterDefinition{"teams granted", EventType::parameter_uint});
}

/// Who recorded the device, and what of it is the host's view.
std::string text_of(const DeviceTrack& track, const DeviceInfo& info) {
  // a provider that was believed when it accepted, and of which nothing came
  const bool silent = track.asked != 0 && track.without_record == track.asked;
  std::string text = (info.type.empty() ? "unknown type" : info.type) + ", recorded by " +
                     name_of(silent ? DeviceProviderKind::host : info.provider);
  if (silent)
    text += std::string(": ") + name_of(info.provider) + " accepted, and left no record of " +
            std::to_string(track.asked) + " kernels and transfers";
  if (!info.provider_reason.empty()) text += (silent ? "; " : ": ") + info.provider_reason;
  if (track.without_record != 0 && !silent)
    text += "; of " + std::to_string(track.asked) + " kernels and transfers " + std::to_string(track.without_record) +
            " have no record: the host's intervals stand in";
  return text;
}

void add_properties(const DeviceTimeline& timeline, const Journal& journal, Definitions& d) {
  for (const DeviceTrack& track : timeline.devices) {
    const DeviceInfo& info = journal.devices.at(track.journal_index);
    d.properties.push_back({properties::device_of_number + std::to_string(track.number), text_of(track, info)});
  }
  for (const auto& [name, value] : timeline.counters) {
    if (value) d.properties.push_back({properties::counter + name, std::to_string(value)});
  }
}

}  // namespace

Paradigm paradigm_of_device(const DeviceInfo& info) noexcept {
  return row_of_device(info).paradigm;
}

RegionRef DeviceDefinitions::region_of(const DeviceOperation& operation) const noexcept {
  const auto it = regions.find(device_region_key(operation));
  return it == regions.end() ? undefined_ref : it->second;
}

std::uint32_t DeviceDefinitions::peer_of(const DeviceLocation& location, const DeviceOperation& o) const {
  if (o.kind != DeviceRecordKind::transfer_peer) return location.rank;
  const bool reads = o.destination_device == location.track->number;
  const auto it = first_rank.find(reads ? o.source_device : o.destination_device);
  return o.source_device != o.destination_device && it != first_rank.end() ? it->second : location.rank;
}

bool DeviceDefinitions::is_rma(const DeviceLocation& location, const DeviceOperation& o) const {
  return location.window != undefined_ref && (!has_region(o.kind) || peer_of(location, o) != location.rank);
}

DeviceDefinitions define_devices(const DeviceTimeline& timeline, const Tables& tables, const Journal& journal,
                                 Definitions& d) {
  DeviceDefinitions out;
  const auto host_threads = d.locations.size();
  add_properties(timeline, journal, d);
  for (const DeviceTrack& track : timeline.devices) define_device(track, journal, d, out);
  define_windows(journal, host_threads, d, out);
  define_values(journal, d, out);
  define_device_regions(tables, journal, d, out);
  return out;
}

}  // namespace tracer::translate
