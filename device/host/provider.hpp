// SPDX-License-Identifier: BSD-3-Clause
// The provider "host": nothing records the device, so the host's callbacks stand for it.
#pragma once

#include <memory>

#include "tracer/device_provider.hpp"

namespace tracer::device::host {

/// Accepts every device and costs the program nothing: no record ever comes, so that the intervals of the trace's
/// target_submit and target_data_op records stand in when it is translated (device/correlate/stand_in.hpp).
std::unique_ptr<DeviceProvider> make_provider() noexcept;

}  // namespace tracer::device::host
