// SPDX-License-Identifier: BSD-3-Clause
// Clocks of several hosts are compared inside MPI_Init and MPI_Finalize, where all ranks are: the only calls that
// communicate, and none where the launch has one clock.
//
// One rank of each host takes part. They go up a tree: log2(hosts) rounds, in each of which half of those that are left
// send some messages there and back. What was measured is recorded as facts (docs/formats/job-parts.md, MPI::CLOCK).
#pragma once

namespace tracer::mpi {

/// At the end of MPI_Init, on all ranks.
void compare_clocks() noexcept;
/// At the begin of MPI_Finalize, as long as MPI is there.
void compare_clocks_again() noexcept;

}  // namespace tracer::mpi
