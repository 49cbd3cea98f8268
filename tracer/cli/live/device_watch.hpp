// SPDX-License-Identifier: BSD-3-Clause
// What the devices of a running program did between two looks, by the records that have come.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "formats/raw/device_tail.hpp"

namespace tracer::cli {

class DeviceWatch {
 public:
  explicit DeviceWatch(const std::filesystem::path& raw_directory) : tail_{raw_directory} {}

  void look();
  /// An array, by device: `device`, `kernels`, `kernel_s`, `copies`, `to_device_bytes`, `from_device_bytes`, `copy_s`
  /// of what has come since the last look; `streams` and `memory_bytes` in use by then.
  nlohmann::ordered_json json() const;
  /// A line each; "" without devices.
  std::string text(double interval) const;

 private:
  struct Device {
    std::uint64_t kernels = 0, kernel_time = 0, copies = 0, copy_time = 0, to = 0, from = 0;  // since the last look
    std::uint64_t memory = 0;
    std::set<std::uint64_t> streams;
    std::unordered_map<std::uint64_t, std::uint64_t> allocations;
  };
  void take(const DeviceRecord& record);

  raw::DeviceTail tail_;
  std::map<std::int32_t, Device> devices_;
};

}  // namespace tracer::cli
