// SPDX-License-Identifier: BSD-3-Clause
// CUPTI's records of unified memory: what the driver moves between host and devices, and page faults.
#pragma once

#include "device/cupti/api.hpp"

namespace tracer::device::cupti {

/// Not initialized: the driver has not started. Other errors: the library, the system or a device does not have them.
CUptiResult enable_unified_memory(const Api& api) noexcept;

}  // namespace tracer::device::cupti
