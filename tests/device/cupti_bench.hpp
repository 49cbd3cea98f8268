// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti" with a CUPTI that a test fills, and what it passes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/correlate/correlate.hpp"
#include "device/cupti/provider.hpp"
#include "device/cupti_activities.hpp"
#include "device/program.hpp"

namespace tracer::test {

struct Bench {
  explicit Bench(std::size_t buffer = 16 << 10, std::size_t memory = 64 << 20) {
    FakeCupti::reset();
    provider = device::cupti::make_provider(sink, {buffer, memory, &monotonic, true, true, true, &api});
  }
  DeviceAnswer open(std::int32_t number, const char* type = "sm_90") {
    DeviceInfo info;
    info.number = number;
    info.type = type;
    const auto answer = provider->open({number, type, nullptr, nullptr}, info);
    if (answer.accepted) info.provider = DeviceProviderKind::cupti, sink.device(info);
    return answer;
  }
  /// What the sink has as a trace, with these host operations in channel 0.
  DeviceTimeline timeline(std::vector<HostOperation> operations) {
    Journal journal;
    for (const auto& [number, info] : sink.devices) journal.devices.push_back(info);
    journal.device_clock = sink.clock;
    journal.strings = sink.strings();
    return device::correlate(journal, {operations, {}},
                             [&](const auto& take) { take(std::span<const DeviceRecord>(sink.all)); });
  }
  device::cupti::Api api = FakeCupti::api();
  MemoryDeviceSink sink;
  std::unique_ptr<DeviceProvider> provider;
};

}  // namespace tracer::test
