// SPDX-License-Identifier: BSD-3-Clause
// MPI operations that archives only count, without events: properties TRACER::COUNTER::MPI_NOT_TOLD_<name>.
#pragma once

namespace tracer {

/// What the raw trace's names of these counters begin with, and the name that follows it of what is no communication.
inline constexpr const char *unrecorded_counter = "mpi.not_told.", *unrecorded_polls = "calls that found nothing";

/// Each of these leaves a sent message without its receive.
inline constexpr const char* unrecorded_ends_of_messages[] = {
    "RECEIVES_WHOSE_REQUEST_WAS_FREED", "RECEIVES_THAT_WERE_NEVER_COMPLETED", "RECEIVES_THAT_FAILED",
    "SENDS_THAT_FAILED", "SENDS_THAT_MAY_HAVE_BEEN_CANCELLED"};

}  // namespace tracer
