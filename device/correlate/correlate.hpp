// SPDX-License-Identifier: BSD-3-Clause
// From device records to a timeline: one clock, the host operation behind each record, streams
// without overlap. Independent of the provider of a record.
#pragma once

#include <functional>
#include <span>

#include "tracer/device_timeline.hpp"
#include "tracer/host_operation.hpp"
#include "tracer/journal.hpp"

namespace tracer::device {

/// Calls its argument with batch after batch of all device records of the run.
using RecordSource = std::function<void(const std::function<void(std::span<const DeviceRecord>)>&)>;

/// `records` is run twice: what belongs together may come in any order. Every repair is counted in
/// the timeline's `repairs` ("device.clamped_to_submit", ...); no record disappears uncounted.
DeviceTimeline correlate(const Journal& journal, const HostRequests& requests, const RecordSource& records);

}  // namespace tracer::device
