// SPDX-License-Identifier: BSD-3-Clause
// The tool as a whole: what happens when a runtime starts it and when the program ends.
#pragma once

#include <cstdint>

#include "tracer/ompt/entry_points.hpp"
#include "tracer/ompt/multiplex/companions.hpp"

namespace tracer::tool {

/// ompt_start_tool: whether this process is traced. False when TRACER=off, and for a second
/// runtime in the process: its teams and tasks could not be distinguished from the first one's.
bool accept(unsigned omp_version, const char* runtime_version);

/// The runtime's initialize: false means that the tool stays out of the way. May throw.
bool start(ompt_function_lookup_t lookup);

/// Whether other OpenMP tools of the process are started: not where `tracer run` found OMP_TOOL=disabled.
bool starts_others() noexcept;

/// What has become of another OpenMP tool of the process: a line of the user's, or a note for `tracer run`.
void record_companion(ompt::several::State state, const char* path, const char* why) noexcept;

/// The runtime's finalize: other threads may still be inside handlers, and callbacks may follow. Ends the run unless
/// a front end has connected.
void finalize();

/// tracer_connect: begins the run, or joins the one that a runtime or another front end began; from now on it lasts
/// until the process ends. False when nothing is to be recorded. May throw.
bool connect();

/// CUDA's driver starts, and calls this from there: begins the run where nobody has, and CUPTI. May throw.
void cuda_starts();

/// Calls `function` before the run ends. False: it has ended, or there is no memory.
bool at_end(void (*function)(void*), void* data) noexcept;

/// The process calls _exit: what only its memory has is written.
void save() noexcept;

/// Groups of Config::record; nothing before a run has begun.
std::uint32_t recorded() noexcept;

/// The process ends, or the library's destructors run; does what finalize did not, once.
void at_exit();

/// One line to the user about a failure nobody foresaw.
void report_failure(const char* where, const char* what) noexcept;

}  // namespace tracer::tool
