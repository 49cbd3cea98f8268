// SPDX-License-Identifier: BSD-3-Clause
// How processes are numbered, and between which calls MPI may be called: from MPI_Init to MPI_Finalize as in
// MPI_COMM_WORLD, and as long as there is a session, where that is all that a program has, as in the set mpi://WORLD.
#pragma once

#include "tracer/mpi/state.hpp"

namespace tracer::mpi {

/// Numbers 0 and 1 of a trace. Without MPI_Init nothing goes on them: the one numbers the processes, the
/// other is recorded when it is used.
Comm& world_comm() noexcept;
Comm& self_comm() noexcept;

/// At the end of MPI_Init; false: it has failed.
bool begin(int threads_provided) noexcept;
/// Before MPI_Finalize: the program may still call MPI, from what MPI_COMM_SELF's attributes have it do.
void begin_end() noexcept;
/// After it.
void end() noexcept;

/// Before MPI_Session_init: threads of a session may have any level.
void expect_session() noexcept;
/// After it, and before MPI_Session_finalize.
void begin_session(Word session) noexcept;
void end_session(Word session) noexcept;
/// Whether nothing of MPI is left when this session ends.
bool is_last_session(Word session) noexcept;

/// World ranks of a group's members, -1 for one that is not in the world; nullptr: no memory. To be freed.
int* world_ranks_of(Word group, int size) noexcept;

}  // namespace tracer::mpi
