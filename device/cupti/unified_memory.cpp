// SPDX-License-Identifier: BSD-3-Clause
// Chooses the counters, then has CUPTI make records of them.
#include "device/cupti/unified_memory.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tracer::device::cupti {

CUptiResult enable_unified_memory(const Api& api) noexcept {
  if (!api.configure_unified_memory) return CUPTI_ERROR_NOT_SUPPORTED;
  constexpr std::array counters{CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
                                CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
                                CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
                                CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
                                CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT};
  std::array<CUpti_ActivityUnifiedMemoryCounterConfig, counters.size()> wanted{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    wanted[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
    wanted[i].kind = counters[i];
    wanted[i].enable = 1;
  }
  const auto configured = api.configure_unified_memory(wanted.data(), static_cast<std::uint32_t>(wanted.size()));
  return configured == CUPTI_SUCCESS ? api.enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) : configured;
}

}  // namespace tracer::device::cupti
