// SPDX-License-Identifier: BSD-3-Clause
// The variables by which NVTX, ITT, Kokkos and ROCTx find libtracer-annotations.so in a program that is run.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/cli/launch/launch.hpp"
#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// The value of --annotations: languages with commas between them, "all" or "none". "" when it is right, else what is
/// wrong.
std::string wrong_annotations(const std::string& chosen);

/// Adds what the languages of `chosen` need. A variable that names another tool already is left as it is, and a line
/// reports that unless `quiet`, as it reports a library that is not beside libtracer.so. With "all" the library is
/// preloaded for ROCTx only where the program needs ROCTx.
void add_annotations(const std::string& chosen, const std::filesystem::path& tracer_library, const Program& program,
                     bool quiet, Environment& changes);

/// Adds the library behind those that are preloaded already.
void preload(const std::string& library, Environment& changes);

}  // namespace tracer::cli
