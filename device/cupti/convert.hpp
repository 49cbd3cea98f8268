// SPDX-License-Identifier: BSD-3-Clause
// Turns CUPTI's activity records into DeviceRecords.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include <cupti.h>

#include "tracer/device_provider.hpp"

namespace tracer::device::cupti {

/// What CUPTI tells about a CUDA device.
struct CudaDevice {
  std::string name;
  std::map<std::string, std::string> properties;
};

/// Keeps what later records need of earlier ones: contexts, devices. One thread at a time.
class Converter {
 public:
  /// `number_of` gives the OpenMP device number of a CUDA device.
  Converter(DeviceSink& sink, std::function<std::int32_t(std::uint32_t cuda_device)> number_of,
            std::function<void(std::uint32_t cuda_device, CudaDevice)> on_device)
      : sink_(sink), number_of_(std::move(number_of)), on_device_(std::move(on_device)) {}

  /// Hands what the activity says to the sink. Kinds that say nothing about a device are ignored;
  /// unknown ones are counted.
  void take(const CUpti_Activity& activity);
  void flush();

 private:
  DeviceRecord blank(std::uint32_t cuda_device, DeviceRecordKind kind) const;
  void put(const DeviceRecord& record);
  void take_kernel(const CUpti_ActivityKernel10& in);
  void take_copy(const CUpti_ActivityMemcpy6& in);
  void take_peer_copy(const CUpti_ActivityMemcpyPtoP4& in);
  void take_memset(const CUpti_ActivityMemset4& in);
  void take_memory(const CUpti_ActivityMemory4& in);
  void take_synchronization(const CUpti_ActivitySynchronization2& in);
  void take_overhead(const CUpti_ActivityOverhead3& in);
  void take_device(const CUpti_ActivityDevice5& in);
  void take_correlation(const CUpti_ActivityExternalCorrelation& in);

  DeviceSink& sink_;
  std::function<std::int32_t(std::uint32_t)> number_of_;
  std::function<void(std::uint32_t, CudaDevice)> on_device_;
  std::map<std::uint32_t, std::uint32_t> device_of_context_;
  std::vector<DeviceRecord> batch_;
};

}  // namespace tracer::device::cupti
