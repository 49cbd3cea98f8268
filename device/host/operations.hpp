// SPDX-License-Identifier: BSD-3-Clause
// Finds in a trace what the host requested of its devices.
#pragma once

#include "tracer/host_operation.hpp"
#include "tracer/trace_source.hpp"

namespace tracer::device::host {

/// Reads all channels once. Empty, and without reading, when the run had no device.
HostRequests requests(const TraceSource& source);

}  // namespace tracer::device::host
