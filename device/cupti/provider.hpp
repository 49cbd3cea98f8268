// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti": NVIDIA devices of runtimes without device tracing, and of CUDA libraries.
#pragma once

#include <cstddef>
#include <memory>

#include "tracer/device_provider.hpp"
#include "tracer/time.hpp"

namespace tracer::device::cupti {

struct Api;  // device/cupti/api.hpp

struct ProviderOptions {
  std::size_t buffer_bytes = std::size_t{1} << 20;
  std::size_t memory_bytes = std::size_t{256} << 20;
  Ticks (*clock)() noexcept = nullptr;  ///< the recording clock; required
  /// Also when nothing in the process hints at CUDA (TRACER_DEVICE=cupti).
  bool insist = false;
  bool calls = true;            ///< the program's calls are recorded on their threads; else they are counted by kind
  bool unified_memory = false;  ///< is recorded: page faults take longer
  const Api* api = nullptr;     ///< tests: instead of the library
};

/// At most one lives at a time, as CUPTI has one subscriber. nullptr when there is one already,
/// or no memory.
std::unique_ptr<DeviceProvider> make_provider(DeviceSink& sink, const ProviderOptions& options) noexcept;

}  // namespace tracer::device::cupti
