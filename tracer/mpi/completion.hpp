// SPDX-License-Identifier: BSD-3-Clause
// What the end of a request is, as records of the thread that learns of it.
#pragma once

#include "tracer/mpi/call.hpp"

namespace tracer::mpi {

enum class Outcome : std::uint8_t { done, failed };
/// complete() of most: a message that has come or gone, of a request that is used once. False: it is another.
[[gnu::always_inline]] inline bool complete_message(const Call& call, Pending* claimed, Word status,
                                                    Endpoint at) noexcept {
  const Pending& p = *claimed;
  if (has_threads.load(std::memory_order_relaxed)) return false;  // whose call it is has to be decided
  if (p.is_persistent || p.may_be_cancelled) return false;
  if (p.kind == PendingKind::send) {
    call.request(at, MpiRequestStep::sent, p.number);
  } else if (p.kind == PendingKind::receive && family.source(status) != family.proc_null) {
    call.receive(at, *p.comm, family.source(status), family.tag(status), family.bytes(status), p.number);
  } else {
    return false;
  }
  remove(claimed);
  return true;
}
/// Records that what was claimed is over, unless another call has completed it, and releases it; `status` is MPI's.
/// With Endpoint::end the last record is also the call's end.
void complete(const Call& call, Pending* claimed, Word status, Outcome outcome, Endpoint at) noexcept;
/// The same where there was no memory for the status.
void complete_unknown(const Call& call, Pending* claimed, Endpoint at) noexcept;
/// It began and will not come to its end: what else could be recorded of it is only counted, a receive as `lost`.
void fail(const Call& call, const Pending& pending, Endpoint at, Unrecorded lost = Unrecorded::failed_receive) noexcept;
/// Of what goes on MPI brings to its end what nobody will request any more: it ends here. What a receive got is not
/// known.
void abandon(const Call& call, const Pending& pending, Unrecorded lost) noexcept;
/// The same of all that is left, at MPI's end: requests, which are counted, and operations and locks of windows.
void abandon_all(const Call& call) noexcept;
/// The same at the end of a process that has not ended MPI.
void abandon_at_end() noexcept;
/// It was looked at and is not over; it is given back.
void tested(const Call& call, Pending* claimed, Endpoint at) noexcept;
/// It begins: what was made by MPI_Isend and its like, or a persistent one. `at` as for Call::send.
void start(const Call& call, const Pending& pending, Endpoint at) noexcept;

/// Whether the status is looked at. Where there are several threads others may meanwhile start or cancel it.
inline bool wants_status(const Pending* pending) noexcept {
  return pending != nullptr &&
         (has_threads.load(std::memory_order_relaxed) ||
          (pending->is_active && (pending->kind >= PendingKind::receive || pending->may_be_cancelled)));
}

}  // namespace tracer::mpi
