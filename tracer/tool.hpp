// SPDX-License-Identifier: BSD-3-Clause
// The tool as a whole: what happens when a runtime starts it and when the program ends.
#pragma once

#include "tracer/ompt/entry_points.hpp"

namespace tracer::tool {

/// ompt_start_tool: whether this process is traced. False when TRACER=off, and for a second
/// runtime in the process: its teams and tasks would not be told from the first one's.
bool accept(unsigned omp_version, const char* runtime_version);

/// The runtime's initialize: false means that the tool stays out of the way. May throw.
bool start(ompt_function_lookup_t lookup);

/// The runtime's finalize: other threads may still be inside handlers, and callbacks may follow.
void finalize();

/// The process ends, or the library's destructors run; does what finalize did not, once.
void at_exit();

/// One line to the user about a failure nobody foresaw.
void report_failure(const char* where, const char* what) noexcept;

}  // namespace tracer::tool
