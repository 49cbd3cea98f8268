// SPDX-License-Identifier: BSD-3-Clause
// Which calls of CUDA's driver are recorded: those that make the device do something, by their names.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/cupti/api.hpp"

namespace tracer::device::cupti {

enum class CallKind : std::uint8_t { other, launch, copy, set, allocation, synchronization, event, graph, module };
inline constexpr std::size_t call_kinds = 9;
/// "launch", "copy", ...
const char* name_of(CallKind kind) noexcept;

/// Of the driver or the runtime: no header numbers as many; CUDA 13 has 800.
inline constexpr CUpti_CallbackId most_calls = 1500;

/// Of a function of the driver or the runtime ("cuLaunchKernel_ptsz", "cudaMemcpyAsync_v3020").
CallKind kind_of_call(std::string_view name) noexcept;

/// Has the calls recorded that device records are tied to by their correlation id: of the driver, and of the runtime,
/// for whose launches there may be no record of the driver's. CUPTI before 12.5 records all or none: all then, also
/// those that request a context and the like, thousands a second.
class RecordedCalls {
 public:
  CUptiResult enable(const Api& api) noexcept;
  /// Whatever it answers.
  void disable(const Api& api) noexcept;
  /// `other` before enable().
  CallKind kind(bool of_runtime, CUpti_CallbackId call) const noexcept {
    return call < most_calls ? kinds_[of_runtime ? 1 : 0][call] : CallKind::other;
  }
  CallKind kind(const CUpti_ActivityAPI& call) const noexcept {
    return kind(call.kind == CUPTI_ACTIVITY_KIND_RUNTIME, call.cbid);
  }

 private:
  static constexpr std::size_t domains = 2;  // driver, runtime
  void learn(const Api& api) noexcept;
  bool is_learnt_ = false;  // threads read the kinds from then on
  std::array<std::array<CallKind, most_calls>, domains> kinds_{};
  std::array<bool, domains> one_by_one_{};
};

}  // namespace tracer::device::cupti
