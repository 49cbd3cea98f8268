// SPDX-License-Identifier: BSD-3-Clause
// Integrates over time what each device and the host were doing at once.
#include "tracer/report/measures/devices.hpp"

#include <algorithm>

namespace tracer::report {
Devices::Devices(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions}, replay_{replay}, is_kernel_{definitions} {
  std::map<std::uint32_t, std::uint32_t> groups;
  for (const Location& location : definitions.locations) {
    if (location.kind != LocationKind::accelerator_stream) {
      device_of_.push_back(undefined_ref);
      of_host_.push_back(false);
      continue;
    }
    const auto [found, fresh] = groups.try_emplace(location.group, static_cast<std::uint32_t>(devices_.size()));
    if (fresh) {
      State state;
      if (location.group < definitions.groups_of_locations.size()) {
        state.row.name = definitions.groups_of_locations[location.group].name;
        state.row.process = definitions.groups_of_locations[location.group].creating_group;
      }
      const std::uint32_t process = replay.process_of(static_cast<LocationRef>(device_of_.size()));
      if (process >= processes_.size()) processes_.resize(process + 1);
      processes_[process].devices.push_back(found->second);
      devices_.push_back(std::move(state));
    }
    State& state = devices_[found->second];
    ++state.row.streams;
    std::string provider;
    for (const Property& property : location.properties) {
      if (property.name.ends_with("provenance") || property.name.ends_with("PROVENANCE") ||
          property.name.ends_with("PROVIDER"))
        provider = property.value;
    }
    of_host_.push_back(provider == "host");
    if (state.row.provider.empty() || !of_host_.back()) state.row.provider = provider;
    device_of_.push_back(found->second);
  }
  active_.resize(definitions.locations.size());
}

void Devices::advance(Process& process, std::uint64_t time) {
  const std::uint64_t ns = time - std::min(time, process.now);
  for (const std::uint32_t d : process.devices) {
    State& device = devices_[d];
    if (device.kernels + device.transfers == 0) continue;
    device.first = std::min(device.first, process.now);
    device.last = std::max(device.last, time);
    device.row.busy += ns;
    if (process.working > 0) device.row.overlap_host += ns;
    if (device.kernels > 0 && device.transfers > 0) device.row.overlap_transfer += ns;
  }
  process.now = std::max(process.now, time);
}

void Devices::refresh(LocationRef location) {
  const LocationState& state = replay_.location(location);
  const bool host = device_of_[location] == undefined_ref;
  const auto& stack = state.current->stack;
  const bool active = host ? state.activity() == Activity::work : !stack.empty() && is_kernel_(stack.front().region);
  if (active == active_[location]) return;
  active_[location] = active;
  (host ? processes_[replay_.process_of(location)].working : devices_[device_of_[location]].kernels) += active ? 1 : -1;
}

void Devices::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  const std::uint32_t number = replay_.process_of(location);
  if (number >= processes_.size() || processes_[number].devices.empty()) return;
  Process& process = processes_[number];
  if (process.changed != undefined_ref) refresh(process.changed);
  advance(process, event.time);
  process.changed = location;
  if (device_of_[location] == undefined_ref) return;
  State& device = devices_[device_of_[location]];
  if (event.type == EventType::rma_get || event.type == EventType::rma_put) {
    open_[{location, event.b}] = {event.time, event.a, event.type == EventType::rma_get};
    ++device.transfers;
  } else if (event.type == EventType::rma_op_complete_blocking) {
    const auto found = open_.find({location, event.b});
    if (found == open_.end()) return;
    TransferTotals& totals = found->second.to_device ? device.row.to_device : device.row.from_device;
    ++totals.count;
    totals.bytes += found->second.bytes;
    totals.ns += event.time - found->second.begin;
    --device.transfers;
    if (is_stand_in(location)) ++device.row.without_record;
    open_.erase(found);
  }
}

void Devices::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (devices_.empty() || device_of_[location] == undefined_ref || !task.stack.empty() || !is_kernel_(frame.region))
    return;
  State& device = devices_[device_of_[location]];
  ++device.row.kernels;
  if (is_stand_in(location)) ++device.row.without_record;
  device.row.kernel_ns += time - frame.enter;
  KernelRow& kernel = device.by_region[frame.region];
  ++kernel.count;
  kernel.total += time - frame.enter;
  kernel.longest = std::max(kernel.longest, time - frame.enter);
}

void Devices::fill(Report& report) {
  for (State& device : devices_) {
    DeviceRow row = device.row;
    row.span = device.last > device.first ? device.last - device.first : 0;
    row.idle = row.span - std::min(row.span, row.busy);
    for (auto& [region, kernel] : device.by_region) {
      kernel.name = definitions_.regions[region].name;
      row.kernels_by_name.push_back(kernel);
    }
    std::stable_sort(row.kernels_by_name.begin(), row.kernels_by_name.end(),
                     [](const KernelRow& a, const KernelRow& b) { return a.total > b.total; });
    report.devices.push_back(std::move(row));
  }
}

}  // namespace tracer::report
