// SPDX-License-Identifier: BSD-3-Clause
// Feeds device/correlate with the trace's device records and with what the host requested.
#include "tracer/convert/devices.hpp"

#include "device/correlate/correlate.hpp"
#include "device/host/operations.hpp"

namespace tracer {

DeviceTimeline device_timeline(const TraceSource& source) {
  const Journal& journal = source.journal();
  if (journal.devices.empty()) return {};
  const HostRequests requests = device::host::requests(source);
  return device::correlate(journal, requests, [&](const auto& take) {
    const auto reader = source.device_records();
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) take(batch);
  });
}

}  // namespace tracer
