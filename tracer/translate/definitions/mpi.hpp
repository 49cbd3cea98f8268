// SPDX-License-Identifier: BSD-3-Clause
// The definitions of a process' part in an MPI program, from the facts that the wrappers left in the journal
// (docs/formats/job-parts.md).
#pragma once

#include "tracer/definitions.hpp"
#include "tracer/journal.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// Communicators, their groups, and what the process is called. Nothing when MPI_Init never returned. Fills
/// Tables::mpi_comms.
void define_mpi(Tables& tables, const Journal& journal, Definitions& definitions);

/// Whether mpi_properties() writes a fact, rather than as it is.
bool is_mpi_fact(const std::string& name);
/// Communicators as properties, with their references; after it has been counted which are used.
void mpi_properties(const Tables& tables, const Journal& journal, Definitions& definitions);

}  // namespace tracer::translate
