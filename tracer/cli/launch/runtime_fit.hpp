// SPDX-License-Identifier: BSD-3-Clause
// Whether one OpenMP runtime can stand in for the one that a program is linked with.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// A name of OpenMP's or OpenACC's (GOMP_*, omp_*, GOACC_*) that `runtime` does not define, and who calls it. Such a
/// call would go to the program's own runtime, which has no part in the teams of the other: each would run half of the
/// program. Not a function of the program itself that only begins as OpenMP's do, nor a weak reference that leads to no
/// runtime.
struct MissingName {
  std::string name, needed_by;  ///< "": nothing is missing
};
MissingName missing_name(const Program& program, const std::filesystem::path& runtime);

}  // namespace tracer::cli
