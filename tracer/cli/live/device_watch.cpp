// SPDX-License-Identifier: BSD-3-Clause
// Adds up what is new in the raw trace.
#include "tracer/cli/live/device_watch.hpp"

#include <cstdio>

#include "tracer/base/text.hpp"

namespace tracer::cli {

void DeviceWatch::look() {
  for (auto& [number, device] : devices_) {
    device.kernels = device.kernel_time = device.copies = device.copy_time = device.to = device.from = 0;
    device.streams.clear();
  }
  tail_.next([this](std::span<const DeviceRecord> records) {
    for (const auto& record : records) take(record);
  });
}

void DeviceWatch::take(const DeviceRecord& r) {
  if (r.device < 0) return;
  const auto duration = r.end > r.start && r.start != 0 ? r.end - r.start : 0;
  switch (r.kind) {
    case DeviceRecordKind::kernel: {
      auto& device = devices_[r.device];
      ++device.kernels;
      device.kernel_time += duration;
      device.streams.insert(r.stream);
      return;
    }
    case DeviceRecordKind::transfer_to_device:
    case DeviceRecordKind::transfer_from_device:
    case DeviceRecordKind::transfer_peer: {
      auto& device = devices_[r.device];
      ++device.copies;
      device.copy_time += duration;
      if (r.kind == DeviceRecordKind::transfer_to_device) device.to += r.bytes;
      if (r.kind == DeviceRecordKind::transfer_from_device) device.from += r.bytes;
      device.streams.insert(r.stream);
      return;
    }
    case DeviceRecordKind::alloc: {
      auto& device = devices_[r.device];
      auto& known = device.allocations[r.destination_address];
      device.memory += r.bytes - known;
      known = r.bytes;
      return;
    }
    case DeviceRecordKind::free: {
      auto& device = devices_[r.device];
      const auto known = device.allocations.find(r.source_address);
      if (known == device.allocations.end()) return;
      device.memory -= known->second;
      device.allocations.erase(known);
      return;
    }
    default:
      return;
  }
}

nlohmann::ordered_json DeviceWatch::json() const {
  constexpr double nanoseconds = 1e-9;
  auto all = nlohmann::ordered_json::array();
  for (const auto& [number, device] : devices_)
    all.push_back({{"device", number},
                   {"kernels", device.kernels},
                   {"kernel_s", static_cast<double>(device.kernel_time) * nanoseconds},
                   {"copies", device.copies},
                   {"to_device_bytes", device.to},
                   {"from_device_bytes", device.from},
                   {"copy_s", static_cast<double>(device.copy_time) * nanoseconds},
                   {"streams", device.streams.size()},
                   {"memory_bytes", device.memory}});
  return all;
}

std::string DeviceWatch::text(double interval) const {
  std::string all;
  const auto rate = [interval](std::uint64_t n) {
    return format_count(static_cast<std::uint64_t>(interval > 0 ? static_cast<double>(n) / interval : 0));
  };
  for (const auto& [number, device] : devices_) {
    char row[320];
    std::snprintf(
        row, sizeof row,
        "device %d  %s kernels/s  %s copies/s  %s bytes/s to, %s bytes/s from it  %zu streams  %s bytes in use\n",
        number, rate(device.kernels).c_str(), rate(device.copies).c_str(), rate(device.to).c_str(),
        rate(device.from).c_str(), device.streams.size(), format_count(device.memory).c_str());
    all += row;
  }
  return all;
}

}  // namespace tracer::cli
