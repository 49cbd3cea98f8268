// SPDX-License-Identifier: BSD-3-Clause
// What the devices of a run did: records of all providers and the host's operations, joined.
#pragma once

#include "tracer/device_timeline.hpp"
#include "tracer/trace_source.hpp"

namespace tracer {

/// Empty for a run without devices, and then without reading a record.
DeviceTimeline device_timeline(const TraceSource& source);

}  // namespace tracer
