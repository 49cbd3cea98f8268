// SPDX-License-Identifier: BSD-3-Clause
// What the rules on MPI require of an archive.
#pragma once

#include "tracer/check/rule.hpp"

namespace tracer::check {

/// Of a run that was killed, or that lost events, an end may be missing; of a job, what is missing of one process is
/// missing to the others.
bool is_whole(const CheckContext& context);

/// The location group; undefined_ref: there is no such location.
std::uint32_t process_of(const otf2::TraceDefinitions& definitions, std::uint64_t location);

/// Not a device's.
bool is_window_of_mpi(const otf2::TraceDefinitions& definitions, std::uint64_t window);

/// The archive's count of MPI operations without events: TRACER::COUNTER::MPI_NOT_TOLD_ and
/// `what`.
std::uint64_t unrecorded(const CheckContext& c, const std::string& what);

}  // namespace tracer::check
