// SPDX-License-Identifier: BSD-3-Clause
// See run_devices.hpp.
#include "tracer/run_devices.hpp"

#include <atomic>

#include "tracer/ompt/context.hpp"
#include "tracer/ompt/device_sink.hpp"

namespace tracer::tool {
namespace {

std::atomic<device::Devices*> all_devices{nullptr};  ///< never destroyed; a child leaves its parent's where they are
std::atomic<bool> parent_has_begun_cuda{false};

}  // namespace

void begin_devices(Session& session, const Config& config, bool driver_starts) {
  if ((config.record & (record_device | record_target)) == 0 || all_devices.load() != nullptr) return;
  if (parent_has_begun_cuda.load()) {
    if (driver_starts) session.count("device.not_recorded_after_fork", 1);
    return;
  }
  auto* sink = new ompt::SessionDeviceSink(session);
  device::DeviceOptions options;
  options.set_choice(config.device);
  options.buffer_bytes = config.device_buffer;
  options.memory_bytes = config.device_memory;
  options.calls = (config.record & record_device_api) != 0;
  options.unified_memory = (config.record & record_unified_memory) != 0;
  auto* devices = new device::Devices(*sink, options);
  all_devices.store(devices);
  if (driver_starts)
    devices->driver_starts();
  else
    devices->prepare();
  ompt::context().devices.store(devices, std::memory_order_release);
  session.add_periodic([]() noexcept { ompt::devices()->poll(); });
}

device::Devices* begun_devices() noexcept {
  return all_devices.load();
}

bool records_cuda(const Config& config) {
  device::DeviceOptions options;
  options.set_choice(config.device);
  return (config.record & record_device) != 0 &&
         (options.choice == device::Choice::automatic || options.choice == device::Choice::cupti);
}

void leave_devices_to_parent() noexcept {
  device::Devices* const parents = all_devices.exchange(nullptr);
  if (parents == nullptr) return;
  if (!parents->leave_to_parent()) parent_has_begun_cuda.store(true);
  ompt::context().devices.store(nullptr, std::memory_order_release);
}

}  // namespace tracer::tool
