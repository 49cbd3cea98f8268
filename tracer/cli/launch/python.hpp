// SPDX-License-Identifier: BSD-3-Clause
// What a run of a Python program needs: a library before the interpreter, and variables that the interpreter reads.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/launch/run_options.hpp"

namespace tracer::cli {

/// The Python interpreter that a command starts: itself, by a script's first line, or below mpirun, env, timeout and so
/// on. nullopt: none, or the command alone does not identify it.
std::optional<std::filesystem::path> find_python(const std::vector<std::string>& command);

/// What is wrong with the value of --python; empty: nothing.
std::string wrong_python(const std::string& chosen);

/// Adds what --python and --sample mean for Python programs. Other programs' environment stays as it is.
void add_python(const RunOptions& options, const std::filesystem::path& tracer_library, Environment& changes);

}  // namespace tracer::cli
