// SPDX-License-Identifier: BSD-3-Clause
// The functions of libcupti that the tracer calls, found at run time.
#pragma once

#include <cstdint>

#include <cupti.h>

namespace tracer::device::cupti {

/// Older libraries have records whose beginnings differ from those of the header.
inline constexpr std::uint32_t oldest_version = 18;  // CUDA 11.8
/// Within CUDA 13 records only grow; the layouts of 14 are unknown.
inline constexpr std::uint32_t unknown_version = 140000;
/// Records of overhead own memory from then on.
inline constexpr std::uint32_t version_of_overhead_data = 130000;
/// The first 13.0 waits for itself, now and then, when kernels are switched off.
inline constexpr std::uint32_t version_that_deadlocks = 130000;

struct Api {
  std::uint32_t version = CUPTI_API_VERSION;
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiEnableCallback) enable_callback = nullptr;
  decltype(&cuptiActivityRegisterTimestampCallback) register_timestamp = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push_external = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop_external = nullptr;
  // May be missing:
  decltype(&cuptiSetThreadIdType) set_thread_ids = nullptr;
  decltype(&cuptiGetCallbackName) callback_name = nullptr;
  decltype(&cuptiActivityConfigureUnifiedMemoryCounter) configure_unified_memory = nullptr;
  CUptiResult (*enable_driver_call)(CUpti_CallbackId, std::uint8_t) = nullptr;   // since 12.5
  CUptiResult (*enable_runtime_call)(CUpti_CallbackId, std::uint8_t) = nullptr;  // since 12.5
  // The driver's:
  decltype(&cuDeviceGetCount) device_count = nullptr;
  decltype(&cuCtxGetDevice) context_device = nullptr;
};

/// nullptr, or why there is no CUDA. First: without a driver each call into CUPTI 13 costs 20 us before it fails.
const char* load_driver(Api& api) noexcept;
/// nullptr, or why that is no CUPTI to use; `not_there` where no such file is found. The library stays loaded.
const char* load(Api& api, const char* name) noexcept;
inline constexpr const char* not_there = "libcupti.so not found (set LD_LIBRARY_PATH or CUDA_HOME)";

/// False once the driver's exit handler has run: CUPTI then hangs or crashes. Libraries that were loaded before the
/// driver, as the OpenMP runtime, end after it.
bool driver_is_alive(const Api& api) noexcept;
/// Alive, and started: a flush waits for ever in a process where nothing has used CUDA.
bool driver_runs(const Api& api) noexcept;

/// Is there a sign that this process will use CUDA: an OpenMP offload or CUDA library that is
/// loaded, or CUDA code in the executable? CUPTI costs a program without CUDA some 100 ms.
bool process_may_use_cuda() noexcept;

/// Watches for libraries that are loaded later. One thread at a time; some 100 ns when nothing was loaded.
class LateLibraries {
 public:
  /// Has a library of CUDA come since the last call? While a thread forks none has yet.
  bool cuda_came() noexcept;

 private:
  unsigned long long loaded_ = 0;
};

}  // namespace tracer::device::cupti
