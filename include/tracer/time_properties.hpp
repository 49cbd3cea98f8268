// SPDX-License-Identifier: BSD-3-Clause
// Properties whose values are times on the trace's clock: whoever moves events in time moves these.
#pragma once

#include <string_view>

#include "tracer/property_names.hpp"

namespace tracer::properties {

/// Of when the process began, by the kernel or as this program.
constexpr bool is_begin_of_process(std::string_view name) {
  return name == run_process_start || name == run_program_start;
}

constexpr bool is_time(std::string_view name) {
  return is_begin_of_process(name) || name == run_process_end || name == thread_ended;
}

}  // namespace tracer::properties
