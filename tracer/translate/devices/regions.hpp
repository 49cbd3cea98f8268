// SPDX-License-Identifier: BSD-3-Clause
// Names what runs on a device: kernels by the target construct that launched them, or their own name.
#pragma once

#include "tracer/translate/devices/definitions.hpp"

namespace tracer::translate {

/// Copies between host and device are RMA operations without a region; all else has one.
bool has_region(DeviceRecordKind kind) noexcept;
/// The region's Enter has the number of bytes.
bool has_bytes_attribute(DeviceRecordKind kind) noexcept;

/// Appends the regions of all operations to the definitions and fills `out.regions`.
void define_device_regions(const Tables& tables, const Journal& journal, Definitions& definitions,
                           DeviceDefinitions& out);

}  // namespace tracer::translate
