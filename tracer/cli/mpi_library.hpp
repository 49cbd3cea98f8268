// SPDX-License-Identifier: BSD-3-Clause
// Whether libtracer-mpi.so stands before the MPI of a program that is run.
#pragma once

#include <filesystem>
#include <string>

#include "tracer/cli/program.hpp"

namespace tracer::cli {

/// The program is linked with an MPI, or it is a rank of a job, whatever loads the MPI there.
bool uses_mpi(const Program& program);

/// A script, or a program without OpenMP of its own - a shell, an interpreter, a launcher: what it loads or starts may
/// use OpenMP and MPI.
bool may_start_others(const Program& program);

/// By its name one that starts the ranks of a job: mpirun, mpiexec, srun and so on.
bool is_launcher(const Program& program);

/// `preload` with libtracer-mpi.so before it, which lies beside the tool's library, if the program, or what it starts,
/// may use MPI. In all others it would be idle.
std::string with_mpi_library(const Program& program, const std::filesystem::path& tool_library,
                             const std::string& preload);

}  // namespace tracer::cli
