// SPDX-License-Identifier: BSD-3-Clause
// Integrates over time what each device and the host were doing at once.
#include "tracer/report/measures/devices.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "tracer/replay/attributes.hpp"

namespace tracer::report {
namespace {

/// Of a thread, as CUDA and HIP name them: cuStreamSynchronize, cudaDeviceSynchronize, hipEventSynchronize; as OpenCL
/// does; as Score-P does those of OpenACC (acc_wait@a.c:7). Score-P has a barrier for those of CUDA.
bool is_wait(const Region& region) {
  if (!is_of_devices(region.paradigm)) return false;
  if (is_barrier(region.role)) return true;
  const std::string_view name = region.name;
  return region.role == RegionRole::wrapper &&
         (name.find("Synchronize") != std::string_view::npos || name == "clFinish" || name == "clWaitForEvents" ||
          name.starts_with("acc_wait"));
}

/// Other tools' metrics of a device, whatever they are called, are its memory.
DeviceMetric metric_called(std::string_view name) {
  for (const DeviceMetricName& known : device_metric_names)
    if (name == known.name) return known.metric;
  return DeviceMetric::memory_in_use;
}

constexpr std::size_t most_points = 400;

/// Of many changes the most of each stretch is kept.
void add_change(DeviceMemory& memory, std::uint64_t time, std::uint64_t bytes) {
  if (bytes > memory.peak) memory.peak = bytes, memory.peak_at = time;
  memory.end = bytes;
  auto& points = memory.points;
  points.emplace_back(time, bytes);
  if (points.size() < 2 * most_points) return;
  for (std::size_t i = 0; i < most_points; ++i)
    points[i] = {points[2 * i].first, std::max(points[2 * i].second, points[2 * i + 1].second)};
  points.resize(most_points);
}

}  // namespace

Devices::Devices(const Definitions& definitions, const Replay& replay)
    : definitions_{definitions},
      replay_{replay},
      is_kernel_{definitions},
      bytes_{find_attribute(definitions, "ALLOCATION_SIZE")},
      host_memory_{find_attribute(definitions, "HOST_MEMORY")} {
  std::map<std::uint32_t, std::uint32_t> groups;
  for (const Location& location : definitions.locations) {
    if (location.kind != LocationKind::accelerator_stream) {
      stream_of_.push_back(0);
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
    add_stream(static_cast<LocationRef>(device_of_.size()), state);
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
  doing_.resize(definitions.locations.size());
  for (const Region& region : definitions.regions) {
    is_wait_.push_back(is_wait(region));
    is_move_.push_back(region.role == RegionRole::data_transfer);
  }
  for (const Metric& metric : definitions.metrics) metrics_.push_back(metric_called(metric.name));
}

void Devices::add_stream(LocationRef location, State& state) {
  stream_of_.push_back(state.time.add_stream());
  StreamRow row;
  row.location = location;
  row.name = definitions_.locations[location].name;
  state.streams.push_back(std::move(row));
}

void Devices::advance(Process& process, std::uint64_t time) {
  if (process.now == 0) process.now = time;
  const std::uint64_t ns = time - std::min(time, process.now);
  for (const std::uint32_t d : process.devices) {
    State& device = devices_[d];
    device.time.pass(ns, process.threads);
    if (device.time.is_busy() && process.threads.working > 0) device.row.overlap_host += ns;
  }
  process.now = std::max(process.now, time);
}

Devices::Doing Devices::on_stream(RegionRef region) const {
  if (is_kernel_(region)) return Doing::kernel;
  return region < is_move_.size() && is_move_[region] ? Doing::copy : Doing::other;
}

Devices::Doing Devices::doing(LocationRef location) const {
  const LocationState& state = replay_.location(location);
  const auto& stack = state.current->stack;
  if (device_of_[location] != undefined_ref) return stack.empty() ? Doing::other : on_stream(stack.front().region);
  const Activity activity = state.activity();
  if (activity == Activity::work) return Doing::work;
  if (activity != Activity::device) return Doing::other;
  return stack.back().region < is_wait_.size() && is_wait_[stack.back().region] ? Doing::wait : Doing::call;
}

void Devices::refresh(LocationRef location) {
  const Doing now = doing(location), before = std::exchange(doing_[location], now);
  if (now == before) return;
  if (device_of_[location] != undefined_ref) {
    DeviceTime& time = devices_[device_of_[location]].time;
    if (now != Doing::other) time.begin(stream_of_[location], now == Doing::kernel);
    if (before != Doing::other) time.end(stream_of_[location], before == Doing::kernel);
    return;
  }
  HostThreads& threads = processes_[replay_.process_of(location)].threads;
  for (const auto& [what, change] : {std::pair{before, -1}, std::pair{now, 1}}) {
    if (what == Doing::work) threads.working += change;
    if (what == Doing::call) threads.calling += change;
    if (what == Doing::wait) threads.waiting += change;
  }
}

void Devices::event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  const std::uint32_t number = replay_.process_of(location);
  if (number >= processes_.size() || processes_[number].devices.empty()) return;
  Process& process = processes_[number];
  if (process.changed != undefined_ref) refresh(process.changed);
  advance(process, event.time);
  process.changed = location;
  if (device_of_[location] == undefined_ref) return;
  if (event.type == EventType::metric_uint)
    changed(devices_[device_of_[location]].row, event);
  else if (event.type == EventType::enter && on_stream(event.ref) == Doing::copy)
    moved(location, event.ref, attribute_value(attributes, bytes_));
  else
    copies(location, event, attributes);
}

void Devices::moved(LocationRef location, RegionRef region, std::uint64_t bytes) {
  stream(location).bytes += bytes;
  if (TransferTotals* pages = migrations(location, region)) pages->bytes += bytes;
}

bool Devices::is_pageable(std::span<const EventAttribute> attributes) const {
  const std::uint64_t text = attribute_value(attributes, host_memory_);
  return text < definitions_.strings.size() && definitions_.strings[text] == "pageable";
}

void Devices::copies(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  State& device = devices_[device_of_[location]];
  if (event.type == EventType::rma_get || event.type == EventType::rma_put) {
    open_.begin(location, event.b, {event.time, event.a, event.type == EventType::rma_get, is_pageable(attributes)});
    device.time.begin(stream_of_[location], false);
  } else if (event.type == EventType::rma_op_complete_blocking) {
    open_.end(location, event.b, [&](const Transfer& transfer) { end_transfer(location, transfer, event.time); });
  }
}

void Devices::end_transfer(LocationRef location, const Transfer& transfer, std::uint64_t time) {
  State& device = devices_[device_of_[location]];
  const std::uint64_t ns = time - transfer.begin;
  (transfer.to_device ? device.row.to_device : device.row.from_device).add(transfer.bytes, ns);
  if (transfer.is_pageable) device.row.pageable.add(transfer.bytes, ns);
  StreamRow& row = stream(location);
  ++row.copies;
  row.bytes += transfer.bytes;
  row.copy_ns += ns;
  device.time.end(stream_of_[location], false);
  if (is_stand_in(location)) ++device.row.without_record;
}

void Devices::changed(DeviceRow& row, const Event& event) {
  switch (event.ref < metrics_.size() ? metrics_[event.ref] : DeviceMetric::memory_in_use) {
    case DeviceMetric::memory_in_use:
      return add_change(row.memory, event.time, event.a);
    case DeviceMetric::pools_in_use:
      return add_change(row.pools_in_use, event.time, event.a);
    case DeviceMetric::pools_reserved:
      return add_change(row.pools_reserved, event.time, event.a);
    case DeviceMetric::device_page_faults:
      row.unified.device_page_faults = event.a;
      return;
    case DeviceMetric::host_page_faults:
      row.unified.host_page_faults = event.a;
      return;
  }
}

TransferTotals* Devices::migrations(LocationRef location, RegionRef region) {
  UnifiedMemory& unified = devices_[device_of_[location]].row.unified;
  const std::string_view name = definitions_.regions[region].name;
  if (name == pages_to_device) return &unified.to_device;
  return name == pages_from_device ? &unified.from_device : nullptr;
}

void Devices::leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) {
  if (devices_.empty() || device_of_[location] == undefined_ref || !task.stack.empty()) return;
  const Doing what = on_stream(frame.region);
  if (what == Doing::copy) {
    ++stream(location).copies;
    stream(location).copy_ns += time - frame.enter;
    if (TransferTotals* pages = migrations(location, frame.region)) pages->add(0, time - frame.enter);
  }
  if (what != Doing::kernel) return;
  State& device = devices_[device_of_[location]];
  ++device.row.kernels;
  if (is_stand_in(location)) ++device.row.without_record;
  device.row.kernel_ns += time - frame.enter;
  ++stream(location).kernels;
  stream(location).kernel_ns += time - frame.enter;
  KernelRow& kernel = device.by_region[frame.region];
  ++kernel.count;
  kernel.total += time - frame.enter;
  kernel.longest = std::max(kernel.longest, time - frame.enter);
}

void Devices::fill(Report& report) {
  for (State& device : devices_) {
    DeviceRow row = device.row;
    device.time.finish();
    row.time = device.time.times();
    row.busy = row.time.busy();
    row.idle = row.time.idle();
    row.span = row.busy + row.idle;
    row.overlap_transfer = row.time.at(DevicePlace::kernel_and_copy);
    row.most_kernels = static_cast<std::uint64_t>(device.time.most_kernels());
    for (StreamRow& stream : device.streams) {
      if (stream.kernels + stream.copies == 0) continue;  // waiting and overhead have locations of their own
      stream.busy = device.time.busy_of(stream_of_[stream.location]);
      stream.idle = device.time.idle_of(stream_of_[stream.location]);
      row.by_stream.push_back(std::move(stream));
    }
    std::stable_sort(row.by_stream.begin(), row.by_stream.end(),
                     [](const StreamRow& a, const StreamRow& b) { return a.busy > b.busy; });
    for (auto& [region, kernel] : device.by_region) {
      kernel.name = definitions_.regions[region].name;
      kernel.file = definitions_.regions[region].source_file;
      kernel.line = definitions_.regions[region].begin_line;
      row.kernels_by_name.push_back(kernel);
    }
    std::stable_sort(row.kernels_by_name.begin(), row.kernels_by_name.end(),
                     [](const KernelRow& a, const KernelRow& b) { return a.total > b.total; });
    report.devices.push_back(std::move(row));
  }
}

}  // namespace tracer::report
