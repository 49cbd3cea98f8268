// SPDX-License-Identifier: BSD-3-Clause
// Which OpenMP device a CUDA device is, what is known of it, and its clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "device/cupti/api.hpp"
#include "device/cupti/convert.hpp"
#include "tracer/device_provider.hpp"
#include "tracer/time.hpp"

namespace tracer::device::cupti {

/// CUPTI's time: it wants nanoseconds of a clock of the host, and fits the devices' clocks to them. CLOCK_MONOTONIC,
/// tied to the recording clock by readings of both.
std::uint64_t monotonic() noexcept;

/// One thread at a time.
class CudaDevices {
 public:
  CudaDevices(DeviceSink& sink, Ticks (*clock)() noexcept) : sink_(sink), clock_(clock) {}

  /// OpenMP announces a device.
  void open(std::int32_t number, const Api& api, DeviceInfo& info);
  /// A CUDA device that OpenMP did not announce (yet) gets its own number, if that is free, and is announced.
  std::int32_t number_of(std::uint32_t cuda_device);
  void describe(std::uint32_t cuda_device, const CudaDevice& device);

  void read_clocks(std::int32_t number) noexcept;
  void read_all_clocks() noexcept;
  /// About five times a second.
  void read_clocks_in_time() noexcept;

 private:
  std::uint32_t cuda_device_of(std::int32_t number, const Api& api) const;
  std::optional<std::uint32_t> cuda_device_beside(std::int32_t number, const Api& api) const;
  void announce(std::int32_t number, std::uint32_t cuda_device);

  DeviceSink& sink_;
  Ticks (*clock_)() noexcept;
  std::uint64_t last_reading_ = 0;
  std::map<std::uint32_t, std::int32_t> opened_;  // OpenMP's number of a CUDA device
  std::set<std::int32_t> taken_;
  std::map<std::uint32_t, DeviceInfo> infos_;  // by CUDA device
};

}  // namespace tracer::device::cupti
