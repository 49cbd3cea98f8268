// SPDX-License-Identifier: BSD-3-Clause
// Warns, at the end, of calls of MPI that bypass this library.
#pragma once

#include "tracer/front_end.h"

namespace tracer::mpi {

/// Names the libraries that are bound to the MPI itself, where the program has begun with MPI by a call that came by
/// here.
void name_libraries_that_bypass(const tracer_front_end& table) noexcept;

}  // namespace tracer::mpi
