// SPDX-License-Identifier: BSD-3-Clause
// Other OpenMP tools of the process: a runtime takes one tool, and this one hands on to the others.
#pragma once

#include "omp-tools.h"

namespace tracer::ompt::several {

enum class State : unsigned char {
  starts,      ///< its ompt_start_tool or initialize is about to be called
  active,      ///< it gets callbacks
  refuses,     ///< it wants to be no tool
  not_loaded,  ///< the loader has not found it, it is no tool, or there is no room for it; `why` explains it
};

/// Called with what has become of each; `why` is "" for most.
using RecordCompanion = void (*)(State state, const char* path, const char* why) noexcept;

/// Finds the tools that the runtime would try without this one, loads those of OMP_TOOL_LIBRARIES and calls their
/// ompt_start_tool. Once, from ompt_start_tool of this tool.
void load_companions(unsigned omp_version, const char* runtime_version, RecordCompanion record);

/// Without this tool: the answer of the next tool that is linked into the process, whose place this one has taken.
ompt_start_tool_result_t* next_tool(unsigned omp_version, const char* runtime_version);

/// From this tool's initialize: before and after it registers its own callbacks. The second returns whether any is
/// active.
void prepare_companions(ompt_function_lookup_t runtime);
bool start_companions(int initial_device, RecordCompanion record);

/// Whether some are to be handed on to. Then set_own_callback() of multiplexer.hpp takes this tool's callbacks.
bool has_companions() noexcept;

/// From this tool's finalize.
void end_companions();

}  // namespace tracer::ompt::several
