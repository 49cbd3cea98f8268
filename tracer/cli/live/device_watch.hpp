// SPDX-License-Identifier: BSD-3-Clause
// What the devices of a running program did between two looks: by their records, or by what the host requested.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "formats/raw/device_tail.hpp"
#include "tracer/cli/live/device_look.hpp"
#include "tracer/cli/live/host_devices.hpp"

namespace tracer::cli {

/// A device of which a record has come is shown by its records from then on, unless its provider is one whose records
/// come a buffer at a time: then by the host's requests, and its records show which memory it had in use before.
class DeviceWatch {
 public:
  explicit DeviceWatch(const std::filesystem::path& raw_directory) : tail_{raw_directory} {}

  void begin_look(Ticks now);
  void see(const raw::RingView& view) { host_.see(view); }
  /// After all rings; `seconds` of ticks.
  void end_look(const std::function<double(double)>& seconds);

  /// An array, by device: `device`, `source` ("device" or "host"), `kernels`, `kernel_s`, `kernels_running` (on
  /// average), `copies`, `to_device_bytes`, `from_device_bytes`, `copy_s` of what has come since the last look;
  /// `streams` and `memory_bytes` in use by then. A kernel that goes on has no record yet: where the host launched it,
  /// it is one of `kernels_running` all the same.
  nlohmann::ordered_json json() const;
  /// A line each; "" without devices.
  std::string text(double interval) const;

 private:
  struct Device {
    DeviceLook look;  ///< of the last look, in seconds
    Ticks kernel_ticks = 0, copy_ticks = 0;
    std::uint64_t kernel_ns = 0, copy_ns = 0;  ///< on the device's own clock
    KernelsRunning running;
    std::set<std::uint64_t> streams;
    Allocations memory;
    bool comes_late = false;  ///< a buffer at a time
  };
  void read_records();
  Device& device_of(const DeviceRecord& record);
  void take(const DeviceRecord& record);
  static void took_time(Device& device, const DeviceRecord& record);

  raw::DeviceTail tail_;
  HostDevices host_;
  Ticks from_ = 0, now_ = 0;  ///< of this look
  bool is_first_ = true;
  std::map<std::int32_t, Device> devices_;  ///< that have records
  std::map<std::int32_t, DeviceLook> all_;  ///< times in seconds
};

}  // namespace tracer::cli
