// SPDX-License-Identifier: BSD-3-Clause
// Finds in a trace what the host asked of its devices, and makes device records of it where no
// provider saw the device.
#pragma once

#include <vector>

#include "tracer/host_operation.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::device::host {

/// Reads all channels once. Empty, and without reading, when the run had no device.
HostOperations operations(const TraceSource& source);

/// The records of the provider "host": kernels and transfers of the devices that it took, from
/// begin to end of the host's callbacks. One stream per host thread.
std::vector<DeviceRecord> intervals(const HostOperations& operations, const Journal& journal);

}  // namespace tracer::device::host
