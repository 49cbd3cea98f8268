// SPDX-License-Identifier: BSD-3-Clause
// Integrates over time what each device and the host were doing at once.
#include "tracer/report/devices.hpp"

#include <algorithm>

namespace tracer::report {
namespace {

constexpr std::size_t settle_every = 1 << 16;

}  // namespace

Devices::Devices(const Definitions& definitions, const Replay& replay) : definitions_{definitions}, replay_{replay} {
  std::map<std::uint32_t, std::uint32_t> groups;
  for (const Location& location : definitions.locations) {
    if (location.kind != LocationKind::accelerator_stream) {
      device_of_.push_back(undefined_ref);
      continue;
    }
    const auto [found, fresh] = groups.try_emplace(location.group, static_cast<std::uint32_t>(devices_.size()));
    if (fresh) {
      State state;
      if (location.group < definitions.groups_of_locations.size())
        state.row.name = definitions.groups_of_locations[location.group].name;
      devices_.push_back(std::move(state));
    }
    State& state = devices_[found->second];
    ++state.row.streams;
    for (const Property& property : location.properties) {
      if (property.name.ends_with("provenance") || property.name.ends_with("PROVENANCE") ||
          property.name.ends_with("PROVIDER"))
        state.row.provider = property.value;
    }
    device_of_.push_back(found->second);
  }
}

void Devices::event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (devices_.empty()) return;
  if (event.type == EventType::rma_get || event.type == EventType::rma_put) {
    open_[event.b] = {event.time, event.a, event.type == EventType::rma_get};
  } else if (event.type == EventType::rma_op_complete_blocking) {
    const auto found = open_.find(event.b);
    if (found == open_.end() || device_of_[location] == undefined_ref) return;
    State& device = devices_[device_of_[location]];
    TransferTotals& totals = found->second.to_device ? device.row.to_device : device.row.from_device;
    ++totals.count;
    totals.bytes += found->second.bytes;
    totals.ns += event.time - found->second.begin;
    change(found->second.begin, event.time, device_of_[location], What::transfer);
    open_.erase(found);
  }
}

void Devices::interval(LocationRef location, Task&, Activity activity, std::uint64_t from, std::uint64_t to) {
  if (devices_.empty() || activity != Activity::work || device_of_[location] != undefined_ref) return;
  change(from, to, undefined_ref, What::host);
}

void Devices::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (devices_.empty() || device_of_[location] == undefined_ref || !task.stack.empty()) return;
  const RegionRole role = definitions_.regions[frame.region].role;
  if (role == RegionRole::allocate || role == RegionRole::deallocate || role == RegionRole::data_transfer) return;
  State& device = devices_[device_of_[location]];
  ++device.row.kernels;
  device.row.kernel_ns += time - frame.enter;
  KernelRow& kernel = device.by_region[frame.region];
  ++kernel.count;
  kernel.total += time - frame.enter;
  kernel.longest = std::max(kernel.longest, time - frame.enter);
  change(frame.enter, time, device_of_[location], What::kernel);
}

/// Intervals become known at their end, so changes wait until no open one can begin before them.
void Devices::change(std::uint64_t from, std::uint64_t to, std::uint32_t device, What what) {
  if (to <= from) return;
  changes_.push_back({from, device, what, 1});
  changes_.push_back({to, device, what, -1});
  if (changes_.size() < settle_every || changes_.size() % settle_every > 1) return;
  std::uint64_t until = ~std::uint64_t{0};
  for (std::size_t i = 0; i < device_of_.size(); ++i) {
    const LocationState& state = replay_.location(static_cast<LocationRef>(i));
    if (!state.begun) continue;
    until = std::min(until, state.last);
    if (device_of_[i] != undefined_ref && !state.current->stack.empty())
      until = std::min(until, state.current->stack.front().enter);
  }
  for (const auto& [id, transfer] : open_) until = std::min(until, transfer.begin);
  settle(until);
}

void Devices::settle(std::uint64_t until) {
  std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.time < b.time; });
  auto end = changes_.begin();
  while (end != changes_.end() && end->time < until) apply(*end++);
  changes_.erase(changes_.begin(), end);
}

void Devices::apply(const Change& change) {
  const std::uint64_t ns = change.time - std::min(change.time, now_);
  for (State& device : devices_) {
    if (device.kernels + device.transfers > 0) {
      device.row.busy += ns;
      if (host_working_ > 0) device.row.overlap_host += ns;
      if (device.kernels > 0 && device.transfers > 0) device.row.overlap_transfer += ns;
    }
  }
  now_ = change.time;
  if (change.what == What::host) {
    host_working_ += change.by;
    return;
  }
  State& device = devices_[change.device];
  (change.what == What::kernel ? device.kernels : device.transfers) += change.by;
  device.first = std::min(device.first, change.time);
  device.last = std::max(device.last, change.time);
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
