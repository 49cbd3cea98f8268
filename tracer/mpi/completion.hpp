// SPDX-License-Identifier: BSD-3-Clause
// What the end of a request is, as records of the thread that learns of it.
#pragma once

#include "tracer/mpi/call.hpp"

namespace tracer::mpi {

enum class Outcome : std::uint8_t { done, failed };
/// Tells that what was claimed is over and gives it back; `status` is MPI's for it. With Endpoint::end the last record
/// is also the call's end.
void complete(const Call& call, Pending* claimed, Word status, Outcome outcome, Endpoint at) noexcept;
/// It began and will not come to its end: what else could be told of it is only counted, a receive as `lost`.
void fail(const Call& call, const Pending& pending, Endpoint at, Untold lost = Untold::failed_receive) noexcept;
/// Of what goes on MPI brings to its end what nobody will ask for any more: it ends here. What a receive got is not
/// known.
void abandon(const Call& call, const Pending& pending, Untold lost) noexcept;
/// The same of all that is left, at MPI's end; counted.
void abandon_all(const Call& call) noexcept;
/// It was looked at and is not over; it is given back.
void tested(const Call& call, Pending* claimed, Endpoint at) noexcept;
/// It begins: what was made by MPI_Isend and its like, or a persistent one. `at` as for Call::send.
void start(const Call& call, const Pending& pending, Endpoint at) noexcept;

/// Whether the status is looked at.
inline bool wants_status(const Pending* pending) noexcept {
  return pending != nullptr && pending->is_active &&
         (pending->kind == PendingKind::receive || pending->kind == PendingKind::exchange ||
          pending->kind == PendingKind::io || pending->may_be_cancelled);
}

}  // namespace tracer::mpi
