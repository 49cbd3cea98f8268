// SPDX-License-Identifier: BSD-3-Clause
// The metrics of devices, and names by which a report knows what the archive has of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tracer {

/// What is counted on a device over time.
enum class DeviceMetric : std::uint8_t {
  memory_in_use,
  pools_in_use,
  pools_reserved,
  device_page_faults,  ///< in unified memory, since the beginning
  host_page_faults,    ///< likewise
};

struct DeviceMetricName {
  DeviceMetric metric;
  const char *name, *description, *unit;
  bool is_sum = false;  ///< of what came since the beginning; else what there is
};
inline constexpr std::array device_metric_names{
    DeviceMetricName{DeviceMetric::memory_in_use, "Device memory in use", "bytes allocated", "B"},
    DeviceMetricName{DeviceMetric::pools_in_use, "Device memory pools in use", "bytes allocated from memory pools",
                     "B"},
    DeviceMetricName{DeviceMetric::pools_reserved, "Device memory pools reserved", "bytes that memory pools have", "B"},
    DeviceMetricName{DeviceMetric::device_page_faults, "Device page faults",
                     "page faults of the device in unified memory since the beginning", "#", true},
    DeviceMetricName{DeviceMetric::host_page_faults, "Host page faults",
                     "page faults of the host in unified memory since the beginning", "#", true}};

static_assert(device_metric_names[static_cast<std::size_t>(DeviceMetric::host_page_faults)].metric ==
              DeviceMetric::host_page_faults);

constexpr const DeviceMetricName& names_of(DeviceMetric metric) noexcept {
  return device_metric_names[static_cast<std::size_t>(metric)];
}

/// Regions of streams: the driver moves pages of unified memory.
inline constexpr const char* pages_to_device = "unified memory to device";
inline constexpr const char* pages_from_device = "unified memory from device";

}  // namespace tracer
