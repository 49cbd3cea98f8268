// SPDX-License-Identifier: BSD-3-Clause
// One region per kernel and construct; kernels that no target construct made have their own names.
#include "tracer/translate/devices/regions.hpp"

#include <map>
#include <tuple>

#include "tracer/base/text.hpp"
#include "tracer/device_names.hpp"

namespace tracer::translate {
namespace {

const char* plain_name(DeviceRecordKind kind) {
  switch (kind) {
    case DeviceRecordKind::kernel:
      return "target kernel";
    case DeviceRecordKind::transfer_peer:
      return "device copy";
    case DeviceRecordKind::memset:
      return "device memset";
    case DeviceRecordKind::migration_to_device:
      return pages_to_device;
    case DeviceRecordKind::migration_from_device:
      return pages_from_device;
    case DeviceRecordKind::synchronize:
      return "synchronize";
    case DeviceRecordKind::overhead:
      return "overhead";
    default:
      return "device operation";
  }
}

RegionRole role_of(DeviceRecordKind kind) {
  switch (kind) {
    case DeviceRecordKind::kernel:
      return RegionRole::kernel;
    case DeviceRecordKind::transfer_peer:
    case DeviceRecordKind::memset:
    case DeviceRecordKind::migration_to_device:
    case DeviceRecordKind::migration_from_device:
      return RegionRole::data_transfer;
    case DeviceRecordKind::overhead:
      return RegionRole::artificial;
    default:
      return RegionRole::function;
  }
}

/// The host's region of the submit or construct that made it: it has file and line.
const Region* submit_region(const Tables& tables, const DeviceOperation& o) {
  if (o.kind != DeviceRecordKind::kernel || o.codeptr == 0) return nullptr;
  for (const Construct c : {Construct::target_submit, Construct::target}) {
    const Region* region = tables.regions->look_up({o.codeptr, c, false, 0});
    if (region && region->begin_line != 0) return region;
  }
  return nullptr;
}

Region describe(const DeviceOperation& o, const Tables& tables, const Journal& journal, Paradigm paradigm) {
  Region region;
  region.role = role_of(o.kind);
  region.paradigm = paradigm;
  const auto text = journal.strings.find(o.name);
  const std::string own = o.name && text != journal.strings.end() ? text->second : std::string();
  if (const Region* host = submit_region(tables, o)) {
    const auto at = host->name.find(" @");
    region.name = "!$omp target kernel" + (at == std::string::npos ? std::string() : host->name.substr(at));
    region.source_file = host->source_file;
    region.begin_line = region.end_line = host->begin_line;
    region.description = host->description;
  } else {
    region.name = own.empty() ? plain_name(o.kind) : demangled(own);
  }
  region.canonical = own.empty() ? region.name : own;
  return region;
}

}  // namespace

bool has_region(DeviceRecordKind kind) noexcept {
  return kind != DeviceRecordKind::transfer_to_device && kind != DeviceRecordKind::transfer_from_device;
}

bool has_bytes_attribute(DeviceRecordKind kind) noexcept {
  return kind == DeviceRecordKind::memset || kind == DeviceRecordKind::transfer_peer ||
         kind == DeviceRecordKind::migration_to_device || kind == DeviceRecordKind::migration_from_device;
}

std::pair<std::uint64_t, std::uint64_t> device_region_key(const DeviceOperation& o) noexcept {
  return {(std::uint64_t{static_cast<std::uint8_t>(o.kind)} << 32) | o.name,
          o.kind == DeviceRecordKind::kernel ? o.codeptr : 0};
}

void define_device_regions(const Tables& tables, const Journal& journal, Definitions& d, DeviceDefinitions& out) {
  std::map<std::tuple<std::string, std::string, std::uint32_t>, RegionRef> known;
  for (RegionRef r = 0; r < d.regions.size(); ++r) {
    const Region& region = d.regions[r];
    known.emplace(std::make_tuple(region.name, region.source_file, region.begin_line), r);
  }
  for (const DeviceLocation& location : out.locations) {
    if (!location.stream) continue;
    const DeviceInfo& info = journal.devices.at(location.track->journal_index);
    const Paradigm paradigm = paradigm_of_device(info);
    for (const DeviceOperation& o : location.stream->operations) {
      if (!has_region(o.kind) || out.is_rma(location, o)) continue;
      const auto key = device_region_key(o);
      if (out.regions.count(key)) continue;
      Region region = describe(o, tables, journal, paradigm);
      const auto [it, fresh] = known.emplace(std::make_tuple(region.name, region.source_file, region.begin_line),
                                             static_cast<RegionRef>(d.regions.size()));
      if (fresh) d.regions.push_back(std::move(region));
      out.regions.emplace(key, it->second);
    }
  }
}

}  // namespace tracer::translate
