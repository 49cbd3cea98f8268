// SPDX-License-Identifier: BSD-3-Clause
// Numbers, describes and reads clocks.
#include "device/cupti/cuda_devices.hpp"

#include <string>

#include "tracer/base/clock.hpp"

namespace tracer::device::cupti {

std::uint64_t monotonic() noexcept {
  return read_monotonic();
}

/// The runtime's numbers run in parallel with CUDA's, from a device that is known; nullopt where that gives none.
std::optional<std::uint32_t> CudaDevices::cuda_device_beside(std::int32_t number, const Api& api) const {
  if (opened_.empty()) return std::nullopt;
  const auto [known, openmp] = *opened_.begin();
  const std::int64_t device = std::int64_t{known} + number - openmp;
  int count = 0;
  const bool is_counted = api.device_count && api.device_count(&count) == CUDA_SUCCESS;
  if (device < 0 || (is_counted && device >= count)) return std::nullopt;
  const auto cuda_device = static_cast<std::uint32_t>(device);
  if (opened_.count(cuda_device) != 0) return std::nullopt;
  return cuda_device;
}

/// libomptarget has made the device's context the thread's own when it announces the device. A device that is announced
/// late, when it is first used, may find another's there, or none.
std::uint32_t CudaDevices::cuda_device_of(std::int32_t number, const Api& api) const {
  for (const auto& [known, openmp] : opened_)
    if (openmp == number) return known;
  CUdevice device = 0;
  if (api.context_device && api.context_device(&device) == CUDA_SUCCESS) {
    const auto current = static_cast<std::uint32_t>(device);
    if (opened_.count(current) == 0) return current;
  }
  if (const auto device = cuda_device_beside(number, api)) return *device;
  std::uint32_t next = 0;
  while (opened_.count(next)) ++next;
  return next;
}

void CudaDevices::open(std::int32_t number, const Api& api, DeviceInfo& info) {
  const auto cuda_device = cuda_device_of(number, api);
  opened_[cuda_device] = number;
  taken_.insert(number);
  info.paradigm_hint = 1;
  info.properties["cuda_device"] = std::to_string(cuda_device);
  auto& known = infos_[cuda_device];
  info.properties.insert(known.properties.begin(), known.properties.end());
  known = info;
  known.provider = DeviceProviderKind::cupti;
  known.provider_reason = "CUPTI";
  read_clocks(number);
}

std::int32_t CudaDevices::number_of(std::uint32_t cuda_device) {
  const auto opened = opened_.find(cuda_device);
  if (opened != opened_.end()) return opened->second;
  const auto it = infos_.find(cuda_device);
  if (it != infos_.end() && it->second.provider == DeviceProviderKind::cupti) return it->second.number;
  auto number = static_cast<std::int32_t>(cuda_device);
  while (taken_.count(number)) number += 1000;
  taken_.insert(number);
  announce(number, cuda_device);
  return number;
}

void CudaDevices::announce(std::int32_t number, std::uint32_t cuda_device) {
  auto& info = infos_[cuda_device];
  info.number = number;
  info.type = "NVIDIA";
  info.provider = DeviceProviderKind::cupti;
  info.provider_reason = "CUPTI; the OpenMP runtime did not open this device";
  info.paradigm_hint = 1;
  info.initialized = clock_();
  info.properties["cuda_device"] = std::to_string(cuda_device);
  sink_.device(info);
  read_clocks(number);
}

void CudaDevices::describe(std::uint32_t cuda_device, const CudaDevice& device) {
  auto& info = infos_[cuda_device];
  for (const auto& [name, value] : device.properties) info.properties[name] = value;
  // before anything ran on it the device stays unannounced: programs see more devices than they use
  if (info.provider == DeviceProviderKind::cupti) sink_.device(info);
}

void CudaDevices::read_clocks(std::int32_t number) noexcept {
  if (taken_.count(number) == 0) return;
  DeviceClockSync best;
  Ticks width = ~Ticks{0};
  for (int i = 0; i < 5; ++i) {
    const Ticks before = clock_();
    const auto time = monotonic();
    const Ticks after = clock_();
    if (after - before >= width) continue;
    width = after - before;
    best = {number, before + width / 2, time};
  }
  sink_.clock_sync(best);
}

void CudaDevices::read_all_clocks() noexcept {
  last_reading_ = monotonic();
  for (const auto number : taken_) read_clocks(number);
}

void CudaDevices::read_clocks_in_time() noexcept {
  if (monotonic() - last_reading_ >= 200'000'000) read_all_clocks();
}

}  // namespace tracer::device::cupti
