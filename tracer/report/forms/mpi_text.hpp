// SPDX-License-Identifier: BSD-3-Clause
// The parts of the terminal's report that are about processes and MPI.
#pragma once

#include <string>

#include "tracer/report/forms/table.hpp"

namespace tracer::report {

/// "" for an archive of one process.
std::string processes_text(const Report& report, const TextOptions& options);
/// "" without MPI.
std::string mpi_text(const Report& report, const TextOptions& options);

}  // namespace tracer::report
