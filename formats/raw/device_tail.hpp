// SPDX-License-Identifier: BSD-3-Clause
// The device records that a running program adds to its raw trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "formats/raw/layout.hpp"
#include "tracer/base/files/file.hpp"
#include "tracer/device_record.hpp"

namespace tracer::raw {

class DeviceTail {
 public:
  /// Of a run's raw directory. Nothing is found where its trace cannot be read.
  explicit DeviceTail(const std::filesystem::path& raw_directory) noexcept;

  /// What has come since the last call; segments that are being written are left for the next one.
  void next(const std::function<void(std::span<const DeviceRecord>)>& take);

 private:
  UniqueFd fd_;
  std::uint64_t at_ = sizeof(FileHeader);
  std::vector<DeviceRecord> records_;
};

}  // namespace tracer::raw
