// SPDX-License-Identifier: BSD-3-Clause
// The device tracing interface as one device's lookup offers it: pointers, NULL where it does not.
#pragma once

#include <cstddef>
#include <cstdint>

#include <omp-tools.h>

#include "tracer/device_provider.hpp"

namespace tracer::device::ompt {

/// Not in omp-tools.h of LLVM up to 22 (OpenMP 6.0 defines it).
using get_buffer_limits_t = void (*)(ompt_device_t* device, int* max_concurrent_allocs, std::size_t* recommended_bytes);

struct EntryPoints {
  ompt_get_device_num_procs_t get_device_num_procs = nullptr;
  ompt_get_device_time_t get_device_time = nullptr;
  ompt_translate_time_t translate_time = nullptr;
  ompt_set_trace_ompt_t set_trace_ompt = nullptr;
  ompt_set_trace_native_t set_trace_native = nullptr;
  get_buffer_limits_t get_buffer_limits = nullptr;
  ompt_start_trace_t start_trace = nullptr;
  ompt_pause_trace_t pause_trace = nullptr;
  ompt_flush_trace_t flush_trace = nullptr;
  ompt_stop_trace_t stop_trace = nullptr;
  ompt_advance_buffer_cursor_t advance_buffer_cursor = nullptr;
  ompt_get_record_type_t get_record_type = nullptr;
  ompt_get_record_ompt_t get_record_ompt = nullptr;
  ompt_get_record_native_t get_record_native = nullptr;
  ompt_get_record_abstract_t get_record_abstract = nullptr;

  /// nullptr when records can be requested, walked and read; else the name of what is missing.
  const char* missing() const noexcept;
};

/// LLVM up to 24 hands out a lookup that yields NULL for every name: an empty set is normal.
EntryPoints look_up(DeviceLookup lookup) noexcept;

}  // namespace tracer::device::ompt
