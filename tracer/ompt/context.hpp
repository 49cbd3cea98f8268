// SPDX-License-Identifier: BSD-3-Clause
// What handlers need beyond the thread's channel. Filled by tracer/tool.cpp before the first
// callback is registered; never destroyed, because callbacks may come until the process ends.
#pragma once

#include <atomic>

#include "device/select/select.hpp"
#include "tracer/ompt/entry_points.hpp"

namespace tracer::ompt {

struct Context {
  EntryPoints entry_points;
  std::atomic<device::Devices*> devices{nullptr};
  std::atomic<bool> has_ended{false};  ///< by omp_control_tool's end, for good
  bool is_libomp = false;              ///< LLVM's own build, by its version text
  bool marks = true;                   ///< control_tool: record phases and marks
  bool sections = true;                ///< dispatch: record sections
  bool chunks = false;                 ///< dispatch: record chunks of loops
  bool content = false;                ///< target_data_op: record a hash of what is copied
};

inline Context& context() noexcept {
  static constinit Context instance;
  return instance;
}

inline device::Devices* devices() noexcept {
  return context().devices.load(std::memory_order_acquire);
}

}  // namespace tracer::ompt
