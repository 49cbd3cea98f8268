// SPDX-License-Identifier: BSD-3-Clause
// See devices_json.hpp.
#include "tracer/report/forms/devices_json.hpp"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tracer/report/measures/ratios.hpp"

namespace tracer::report {

nlohmann::ordered_json json_of(const TransferTotals& totals) {
  return {{"count", totals.count},
          {"bytes", totals.bytes},
          {"ns", totals.ns},
          {"bytes_per_second", totals.bytes_per_second()}};
}

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const DeviceTimes& times) {
  Json object = Json::object();
  for (std::size_t p = 0; p < device_places; ++p)
    object[std::string{name_of(static_cast<DevicePlace>(p))} + "_ns"] = times[p];
  return object;
}

Json json_of(const StreamRow& row) {
  return {{"location", row.location},   {"name", row.name},     {"kernels", row.kernels},
          {"kernel_ns", row.kernel_ns}, {"copies", row.copies}, {"copy_ns", row.copy_ns},
          {"bytes", row.bytes},         {"busy_ns", row.busy},  {"idle", json_of(row.idle)}};
}

Json json_of(const DeviceMemory& memory, std::uint64_t begin) {
  const auto since = [begin](std::uint64_t time) { return time - std::min(time, begin); };
  Json points = Json::array();
  for (const auto& [time, bytes] : memory.points) points.push_back({since(time), bytes});
  return {{"peak_bytes", memory.peak},
          {"peak_at_ns", memory.peak == 0 ? 0 : since(memory.peak_at)},
          {"end_bytes", memory.end},
          {"points", std::move(points)}};
}

Json json_of(const UnifiedMemory& unified) {
  return {{"to_device", json_of(unified.to_device)},
          {"from_device", json_of(unified.from_device)},
          {"device_page_faults", unified.device_page_faults},
          {"host_page_faults", unified.host_page_faults}};
}

Json json_of(const DeviceRow& row, std::uint64_t begin) {
  Json kernels = Json::array();
  for (const KernelRow& kernel : row.kernels_by_name) {
    kernels.push_back({{"name", kernel.name},
                       {"file", kernel.file},
                       {"line", kernel.line},
                       {"count", kernel.count},
                       {"total_ns", kernel.total},
                       {"mean_ns", mean(kernel.total, kernel.count)},
                       {"longest_ns", kernel.longest}});
  }
  Json streams = Json::array();
  for (const StreamRow& stream : row.by_stream) streams.push_back(json_of(stream));
  const Json pools = {{"in_use", json_of(row.pools_in_use, begin)}, {"reserved", json_of(row.pools_reserved, begin)}};
  return {{"name", row.name},
          {"process", row.process == undefined_ref ? Json{} : Json(row.process)},
          {"provider", row.provider},
          {"streams", row.streams},
          {"kernels", row.kernels},
          {"kernel_ns", row.kernel_ns},
          {"time", json_of(row.time)},
          {"total_ns", row.time.sum()},
          {"busy_ns", row.busy},
          {"idle_ns", row.idle},
          {"span_ns", row.span},
          {"overlap_host_ns", row.overlap_host},
          {"overlap_host", share(row.overlap_host, row.busy)},
          {"overlap_transfer_ns", row.overlap_transfer},
          {"overlap_transfer", share(row.overlap_transfer, row.busy)},
          {"to_device", json_of(row.to_device)},
          {"from_device", json_of(row.from_device)},
          {"most_kernels_at_once", row.most_kernels},
          {"mean_kernels_at_once", row.mean_kernels()},
          {"unified_memory", json_of(row.unified)},
          {"memory", json_of(row.memory, begin)},
          {"memory_pools", pools},
          {"by_stream", std::move(streams)},
          {"without_record", row.without_record},
          {"kernels_by_name", std::move(kernels)}};
}

Json json_of(const DataMovementRow& row, std::uint64_t begin) {
  return {{"pattern", name_of(row.pattern)},
          {"region", row.region},
          {"name", row.name},
          {"other", row.other_name},
          {"count", row.count},
          {"bytes", row.bytes},
          {"ns", row.ns},
          {"longest_ns", row.longest},
          {"longest_at", row.longest_at},
          {"longest_at_ns", row.longest_at - std::min(row.longest_at, begin)}};
}

}  // namespace

nlohmann::ordered_json devices_json(const Report& report) {
  Json array = Json::array();
  for (const DeviceRow& row : report.devices) array.push_back(json_of(row, report.begin));
  return array;
}

nlohmann::ordered_json data_movement_json(const Report& report) {
  Json array = Json::array();
  for (const DataMovementRow& row : report.data_movement) array.push_back(json_of(row, report.begin));
  return array;
}

}  // namespace tracer::report
