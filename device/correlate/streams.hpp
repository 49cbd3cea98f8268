// SPDX-License-Identifier: BSD-3-Clause
// Spreads a device's operations over streams on which nothing overlaps.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tracer/device_timeline.hpp"

namespace tracer::device {

/// An operation and the place that its provider reports for it.
struct PlacedOperation {
  DeviceOperation operation;
  std::uint64_t stream = 0;
  std::uint32_t context = 0;
  DeviceProviderKind provider = DeviceProviderKind::none;
};

/// `paradigm_hint` as in DeviceInfo: names the streams. Counts in `timeline`. Keeps the order of equal times.
std::vector<DeviceStream> make_streams(std::int32_t device, std::uint32_t paradigm_hint,
                                       std::vector<PlacedOperation> operations, DeviceTimeline& timeline);

}  // namespace tracer::device
