// SPDX-License-Identifier: BSD-3-Clause
// Whether libtracer-mpi.so stands before the MPI of a program that is run.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/cli/launch/program.hpp"

namespace tracer::cli {

/// The program is linked with an MPI, or it is a rank of a job, whatever loads the MPI there.
bool uses_mpi(const Program& program);

/// `preload` with libtracer-mpi.so before it, which lies beside the tool's library, if the program, or what it starts,
/// may use MPI. In all others it would be idle. Where a program of MPI is to run and the library is missing, a line
/// reports that unless `is_quiet`.
std::string with_mpi_library(const Program& program, const std::filesystem::path& tool_library,
                             const std::string& preload, bool is_quiet);

}  // namespace tracer::cli
