// SPDX-License-Identifier: BSD-3-Clause
// Which other tools there are: in the program and its libraries, in OMP_TOOL_LIBRARIES.
#pragma once

#include <string>
#include <vector>

#include "omp-tools.h"

namespace tracer::ompt::several {

using StartTool = ompt_start_tool_result_t* (*)(unsigned omp_version, const char* runtime_version);

struct FoundTool {
  std::string path;
  StartTool start = nullptr;
};

/// Whether the runtime has come to this tool by the name ompt_start_tool, not by OMP_TOOL_LIBRARIES: then it has asked
/// no other.
bool is_linked_in();

/// Tools in the program itself and in libraries that are loaded, without this one and the runtimes' own functions.
std::vector<FoundTool> tools_linked_in();

/// The libraries of `list` that the runtime has not tried: those behind this one, or all where it is linked in.
std::vector<std::string> names_to_load(const std::string& list);

/// start is nullptr with the reason in `why`, and where it is this library or one of tools_linked_in() once more.
FoundTool load_tool(const std::string& name, std::string& why);

bool has_thread_sanitizer();

}  // namespace tracer::ompt::several
