// SPDX-License-Identifier: BSD-3-Clause
// Adds up what is new in the raw trace.
#include "tracer/cli/live/device_watch.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "tracer/base/formatted.hpp"
#include "tracer/base/text.hpp"

namespace tracer::cli {

void DeviceWatch::begin_look(Ticks now) {
  host_.begin_look(now);
  from_ = std::exchange(now_, now);
  for (auto& [number, device] : devices_) {
    device.look = {};
    device.kernel_ticks = device.copy_ticks = 0;
    device.kernel_ns = device.copy_ns = 0;
    device.streams.clear();
    device.running.begin_look();
  }
  if (!std::exchange(is_first_, false)) return;
  // What a device had in use before the oldest records of the rings is in its own.
  read_records();
  for (const auto& [number, device] : devices_)
    if (device.comes_late) host_.had_in_use(number, device.memory);
}

void DeviceWatch::read_records() {
  tail_.next([this](std::span<const DeviceRecord> records) {
    for (const auto& record : records) take(record);
  });
}

void DeviceWatch::end_look(const std::function<double(double)>& seconds) {
  read_records();
  all_ = host_.devices();
  const auto passed = static_cast<double>(std::max<Ticks>(now_ - from_, 1));
  for (auto& [number, look] : all_) {
    look.running = look.kernel_time / passed;
    look.open_time /= passed;
    look.kernel_time = seconds(look.kernel_time);
    look.copy_time = seconds(look.copy_time);
  }
  constexpr double nanosecond = 1e-9;
  for (auto& [number, device] : devices_) {
    if (device.comes_late && all_.contains(number)) continue;
    DeviceLook& look = all_[number];
    const double going_on = look.open_time;
    look = device.look;
    look.running = std::max(device.running.average(), going_on);
    look.kernel_time =
        seconds(static_cast<double>(device.kernel_ticks)) + static_cast<double>(device.kernel_ns) * nanosecond;
    look.copy_time = seconds(static_cast<double>(device.copy_ticks)) + static_cast<double>(device.copy_ns) * nanosecond;
    look.streams = device.streams.size();
    look.memory = device.memory.in_use();
  }
}

DeviceWatch::Device& DeviceWatch::device_of(const DeviceRecord& record) {
  Device& device = devices_[record.device];
  device.comes_late = record.provider == DeviceProviderKind::ompt;
  return device;
}

void DeviceWatch::took_time(Device& device, const DeviceRecord& r) {
  device.streams.insert(r.stream);
  if (r.start == 0 || r.end <= r.start) return;
  const bool is_kernel = r.kind == DeviceRecordKind::kernel;
  if (r.clock == DeviceClock::host_ticks)
    (is_kernel ? device.kernel_ticks : device.copy_ticks) += r.end - r.start;
  else
    (is_kernel ? device.kernel_ns : device.copy_ns) += r.end - r.start;
  device.running.ended(r.start, r.end, is_kernel);
}

void DeviceWatch::take(const DeviceRecord& r) {
  if (r.device < 0) return;
  switch (r.kind) {
    case DeviceRecordKind::kernel: {
      auto& device = device_of(r);
      ++device.look.kernels;
      return took_time(device, r);
    }
    case DeviceRecordKind::transfer_to_device:
    case DeviceRecordKind::transfer_from_device:
    case DeviceRecordKind::transfer_peer: {
      auto& device = device_of(r);
      ++device.look.copies;
      if (r.kind == DeviceRecordKind::transfer_to_device) device.look.to += r.bytes;
      if (r.kind == DeviceRecordKind::transfer_from_device) device.look.from += r.bytes;
      return took_time(device, r);
    }
    case DeviceRecordKind::alloc:
      return device_of(r).memory.allocated(r.destination_address, r.bytes);
    case DeviceRecordKind::free:
      return device_of(r).memory.freed(r.source_address);
    default:
      return;
  }
}

nlohmann::ordered_json DeviceWatch::json() const {
  auto all = nlohmann::ordered_json::array();
  for (const auto& [number, look] : all_)
    all.push_back({{"device", number},
                   {"source", look.by_host ? "host" : "device"},
                   {"kernels", look.kernels},
                   {"kernel_s", look.kernel_time},
                   {"kernels_running", look.running},
                   {"copies", look.copies},
                   {"to_device_bytes", look.to},
                   {"from_device_bytes", look.from},
                   {"copy_s", look.copy_time},
                   {"streams", look.streams},
                   {"memory_bytes", look.memory}});
  return all;
}

std::string DeviceWatch::text(double interval) const {
  std::string all;
  const auto rate = [interval](std::uint64_t n) {
    return format_count(static_cast<std::uint64_t>(interval > 0 ? static_cast<double>(n) / interval : 0));
  };
  for (const auto& [number, look] : all_)
    all += formatted(
        "device %d  %.1f kernels running  %s kernels/s  %s copies/s  %s bytes/s to, %s bytes/s from it  "
        "%s  %s bytes in use\n",
        number, look.running, rate(look.kernels).c_str(), rate(look.copies).c_str(), rate(look.to).c_str(),
        rate(look.from).c_str(), format_counted(look.streams, look.by_host ? "thread" : "stream").c_str(),
        format_count(look.memory).c_str());
  return all;
}

}  // namespace tracer::cli
