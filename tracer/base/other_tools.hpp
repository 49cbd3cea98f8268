// SPDX-License-Identifier: BSD-3-Clause
// Other tools of OpenMP beside this one: a runtime tries the libraries of OMP_TOOL_LIBRARIES in turn, and uses the
// first that accepts. Those behind it this tool loads, and hands on to (tracer/ompt/several).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracer {

/// The libraries of `list` (names with ':' between them) behind this tool's own, which is called libtracer.so. Where
/// that is not in it, all: it is put before them.
std::vector<std::string> tools_behind_ours(std::string_view list);

/// All libraries of `list` but this tool's own.
std::vector<std::string> other_tools(std::string_view list);

}  // namespace tracer
