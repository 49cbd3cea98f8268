// SPDX-License-Identifier: BSD-3-Clause
// The provider "ompt": devices whose OpenMP runtime implements the device tracing interface.
#pragma once

#include <cstddef>
#include <memory>

#include "tracer/device_provider.hpp"
#include "tracer/time.hpp"

namespace tracer::device::ompt {

struct ProviderOptions {
  std::size_t buffer_bytes = std::size_t{1} << 20;
  std::size_t memory_bytes = std::size_t{256} << 20;
  Ticks (*clock)() noexcept = nullptr;  ///< the recording clock; required
  double (*wtime)() = nullptr;          ///< omp_get_wtime; nullptr: the process's, if it has one
};

/// At most one lives at a time: the callbacks of the C interface carry no context. nullptr when
/// there is one already or no memory.
std::unique_ptr<DeviceProvider> make_provider(DeviceSink& sink, const ProviderOptions& options) noexcept;

}  // namespace tracer::device::ompt
