// SPDX-License-Identifier: BSD-3-Clause
// A flush of the runtime's that may never return.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include <omp-tools.h>

#include "tracer/device_provider.hpp"

namespace tracer::device::ompt {

/// One thread at a time.
class BoundedFlush {
 public:
  /// Calls `flush(device)` on a thread of its own. False: there is no thread.
  bool start(ompt_flush_trace_t flush, DeviceHandle device) noexcept;
  /// Until it has returned. False: `progress` stood still for a second, or ten have passed; it is left to itself.
  bool await(const std::function<std::uint64_t()>& progress) noexcept;
  /// What the runtime answered; 0: it has nothing to flush, or could not.
  int answer() const noexcept { return call_ ? call_->answer.load() : 0; }

 private:
  struct Call {
    ompt_flush_trace_t flush;
    DeviceHandle device;
    std::atomic<int> answer{0};
    std::atomic<bool> done{false};
  };
  static void* run(void* call) noexcept;
  std::shared_ptr<Call> call_;  // the thread has it as well: it may outlive the device
};

}  // namespace tracer::device::ompt
