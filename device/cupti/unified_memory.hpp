// SPDX-License-Identifier: BSD-3-Clause
// CUPTI's records of unified memory: what the driver moves between host and devices, and page faults.
#pragma once

#include "device/cupti/api.hpp"

namespace tracer::device::cupti {

/// Once the driver has started: before, CUPTI refuses. False: the library, the system or a device does not have them.
bool enable_unified_memory(const Api& api) noexcept;

}  // namespace tracer::device::cupti
