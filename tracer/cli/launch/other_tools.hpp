// SPDX-License-Identifier: BSD-3-Clause
// Other OpenMP tools beside this one: a runtime takes the first that it finds, so this one is put before them, and
// hands on to them (tracer/ompt/multiplex).
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tracer/base/launch_notes.hpp"
#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// What is to be preloaded: with a tool in the program or in its libraries, with a preloaded library that may be one,
/// and before a program that may remove OMP_TOOL_LIBRARIES, this tool's library as well. `below`: the programs with
/// OpenMP that `first` starts; `preload`: the libraries so far.
std::string before_other_tools(const Program& first, std::span<const Program> below,
                               const std::filesystem::path& tool_library, const std::string& preload);

/// `omp_tool`: what OMP_TOOL is, null: nothing. Letters of both cases count, as for the runtimes.
bool disables_tools(const char* omp_tool);

/// Which tools were active, which refused, and in which one's start the program ended, by a signal or itself. Returns
/// whether there is such a one.
bool print_tools(const std::vector<LaunchNote>& notes);

}  // namespace tracer::cli
