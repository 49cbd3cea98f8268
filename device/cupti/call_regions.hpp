// SPDX-License-Identifier: BSD-3-Clause
// The program's calls of CUDA as regions of the threads that make them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "device/cupti/calls.hpp"
#include "tracer/device_provider.hpp"

namespace tracer::device::cupti {

/// A call inside another (cuLaunchKernel inside cudaLaunchKernel) is part of it. Calls come on the program's threads.
class CallRegions {
 public:
  explicit CallRegions(DeviceSink& sink) : sink_(sink) {}

  /// Enables CUPTI's callbacks for the calls that are worth it.
  void enable(const Api& api, CUpti_SubscriberHandle subscriber, bool on) noexcept;
  /// From now on none begins; those that are open end.
  void stop() noexcept { wanted_ = false; }
  bool are_open() const noexcept { return open_.load() != 0; }
  /// For CUPTI's callback. Also when recording is off: what began before is ended. True: an outermost call has ended.
  bool callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data,
                bool recording) noexcept;

 private:
  static constexpr std::size_t domains = 2;
  /// False: the call gets no region.
  bool begin(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) noexcept;
  std::uint32_t name_of(std::size_t domain, CUpti_CallbackId id, const char* function) noexcept;

  DeviceSink& sink_;
  std::atomic<bool> wanted_{true};
  std::atomic<int> open_{0};
  std::array<std::array<std::atomic<std::uint32_t>, most_calls>, domains> names_{};  // interned; 0: not yet
};

/// "cudaMemcpyAsync" of "cudaMemcpyAsync_v3020", "cuLaunchKernel" of "cuLaunchKernel_ptsz".
std::string_view plain_name(std::string_view function) noexcept;

}  // namespace tracer::device::cupti
