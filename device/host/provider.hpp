// SPDX-License-Identifier: BSD-3-Clause
// The provider "host": nothing records the device, so the host's callbacks stand for it.
#pragma once

#include <memory>

#include "tracer/device_provider.hpp"

namespace tracer::device::host {

/// Accepts every device and costs the program nothing: the records are made from the target_submit
/// and target_data_op records of the trace when it is translated (device/host/operations.hpp).
std::unique_ptr<DeviceProvider> make_provider() noexcept;

}  // namespace tracer::device::host
