// SPDX-License-Identifier: BSD-3-Clause
// See completion.hpp.
#include "tracer/mpi/completion.hpp"

#include "tracer/mpi/files.hpp"
#include "tracer/mpi/window_hooks.hpp"
#include "tracer/mpi/windows.hpp"

namespace tracer::mpi {
namespace {

void end_of_call(const Call& call, Endpoint at) noexcept {
  if (at == Endpoint::end) call.leave();
}

void give_back(Pending* claimed) noexcept {
  if (!claimed->is_persistent) return remove(claimed);
  {
    const Deciding deciding(*claimed);
    claimed->is_active = false;
  }
  release(claimed);
}

/// What MPI answers about a receive that another call has completed, or is about to.
bool is_empty(const Pending& p, Word status) noexcept {
  return p.kind == PendingKind::receive && !p.is_partitioned && family.source(status) == family.any_source &&
         !family.cancelled(status);
}

[[gnu::always_inline]] inline void receive(const Call& call, const Pending& p, Word status, std::uint64_t number,
                                           Endpoint at) noexcept {
  if (p.is_partitioned) return call.receive(at, *p.comm, p.peer, p.tag, p.received, number);
  if (family.source(status) == family.proc_null) return end_of_call(call, at);
  call.receive(at, *p.comm, family.source(status), family.tag(status), family.bytes(status), number);
}

/// MPICH (seen in 4.0) leaves the status of MPI_Isendrecv empty: its receive is recorded as it was posted, then. Where
/// that is empty too (any source, any tag), the request ends without one.
void receive_of_exchange(const Call& call, const Pending& p, Word status, Endpoint at) noexcept {
  if (family.kind != FamilyKind::mpich) return receive(call, p, status, p.number + 1, at);
  if (p.peer == family.any_source || p.tag < 0) {
    count_unrecorded(Unrecorded::foreign_message);
    return call.request(at, MpiRequestStep::cancelled, p.number + 1);
  }
  call.receive(at, *p.comm, p.peer, p.tag, p.received, p.number + 1);
}

void end_comm(const Call& call, const Pending& p, Endpoint at) noexcept {
  Comm* const made = add_comm(p.new_comm, *p.comm, Making::by_dup, p.ordinal);
  if (made != nullptr) call.comm_made(*made);
  call.collective(at, *p.comm, p.operation, p.root, 0, 0, p.number);
}

[[gnu::always_inline]] inline void record_end(const Call& call, const Pending& p, Word status, Endpoint at) noexcept {
  if (!p.is_active) return end_of_call(call, at);
  const bool cancelled = p.may_be_cancelled && status != 0 && family.cancelled(status);
  switch (p.kind) {
    case PendingKind::nothing:
      return end_of_call(call, at);
    case PendingKind::send:
      return call.request(at, cancelled ? MpiRequestStep::cancelled : MpiRequestStep::sent, p.number);
    case PendingKind::receive:
      if (cancelled) return call.request(at, MpiRequestStep::cancelled, p.number);
      return receive(call, p, status, p.number, at);
    case PendingKind::exchange:
      call.request(Endpoint::none, MpiRequestStep::sent, p.number);
      return receive_of_exchange(call, p, status, at);
    case PendingKind::collective:
      return call.collective(at, *p.comm, p.operation, p.root, p.sent, p.received, p.number);
    case PendingKind::new_comm:
      return end_comm(call, p, at);
    case PendingKind::one_sided:
      if (!end_here(*p.window, p.number)) return end_of_call(call, at);
      return call.rma(at, RmaStep::complete_here, p.window->id, 0, 0, 0, p.number);
    case PendingKind::io:
      if (cancelled) return call.io(at, IoStep::operation_cancelled, p.file->id, {.id = p.number});
      return call.io(at, IoStep::operation_complete, p.file->id, {.bytes = family.bytes(status), .id = p.number});
  }
}

}  // namespace

void complete(const Call& call, Pending* claimed, Word status, Outcome outcome, Endpoint at) noexcept {
  if (!ends(*claimed, outcome == Outcome::done && is_empty(*claimed, status))) {
    end_of_call(call, at);
    return release(claimed);
  }
  outcome == Outcome::done ? record_end(call, *claimed, status, at) : fail(call, *claimed, at);
  give_back(claimed);
}

void complete_unknown(const Call& call, Pending* claimed, Endpoint at) noexcept {
  const bool is_ours = ends(*claimed, false);
  if (is_ours) {
    count_never_completed(*claimed);
    abandon(call, *claimed, Unrecorded::left_receive);
  }
  end_of_call(call, at);
  is_ours ? give_back(claimed) : release(claimed);
}

void fail(const Call& call, const Pending& p, Endpoint at, Unrecorded lost) noexcept {
  if (!p.is_active) return end_of_call(call, at);
  switch (p.kind) {
    case PendingKind::nothing:
    case PendingKind::one_sided:
      return record_end(call, p, 0, at);
    case PendingKind::send:
      return call.request(at, MpiRequestStep::cancelled, p.number);
    case PendingKind::receive:
      count_unrecorded(lost);
      return call.request(at, MpiRequestStep::cancelled, p.number);
    case PendingKind::exchange:
      call.request(Endpoint::none, MpiRequestStep::sent, p.number);
      count_unrecorded(lost);
      return call.request(at, MpiRequestStep::cancelled, p.number + 1);
    case PendingKind::collective:
    case PendingKind::new_comm:
      return call.collective(at, *p.comm, p.operation, p.root, 0, 0, p.number);
    case PendingKind::io:
      return call.io(at, IoStep::operation_cancelled, p.file->id, {.id = p.number});
  }
}

void abandon(const Call& call, const Pending& p, Unrecorded lost) noexcept {
  if (!p.is_active) return;
  switch (p.kind) {
    case PendingKind::one_sided:  // which its window's synchronisation completes
      return;
    case PendingKind::send:
      if (p.may_be_cancelled) count_unrecorded(Unrecorded::cancelled_send);  // whether it was is unknown
      return call.request(Endpoint::none, MpiRequestStep::sent, p.number);
    case PendingKind::collective:
      return call.collective(Endpoint::none, *p.comm, p.operation, p.root, p.sent, p.received, p.number);
    case PendingKind::new_comm:
      return call.request(Endpoint::none, MpiRequestStep::cancelled, p.number);
    default:
      return fail(call, p, Endpoint::none, lost);
  }
}

void abandon_all(const Call& call) noexcept {
  for (Pending *p = claim_all(), *next = nullptr; p != nullptr; p = next) {
    next = p->next;
    count_never_completed(*p);
    abandon(call, *p, Unrecorded::left_receive);
    remove(p);
  }
  for (Window* window = take_windows(); window != nullptr; window = window->next) {
    complete_operations(call, *window, all_ranks, window->so_far(), Completes::everywhere);
    for (Window::Held lock; take_lock(*window, lock);)
      call.rma(Endpoint::none, RmaStep::lock_released, window->id, lock.target);
  }
}

void abandon_at_end() noexcept {
  const tracer_front_end* const table = front.load(std::memory_order_acquire);
  const bool is_alone = !has_threads.load(std::memory_order_relaxed);
  // Requests of a program that keeps its threads apart have no locks: another thread may be in MPI.
  if (table == nullptr || (is_alone && initial_thread.load(std::memory_order_relaxed) != &this_thread)) return;
  abandon_all(Call(*table, this_thread, MpiFunction::Finalize, 0, false));
}

namespace {

/// Recorded before another thread can claim it, or complete it: requests that share a handle may be another's by then,
/// and be over.
void record_tested(const Call& call, const Pending* claimed, Endpoint at) noexcept {
  const Deciding deciding(*claimed);
  if (claimed->is_over) {
    end_of_call(call, at);
  } else if (claimed->is_active && claimed->kind == PendingKind::one_sided) {
    call.rma(at, RmaStep::tested, claimed->window->id, 0, 0, 0, claimed->number);
  } else if (claimed->is_active && claimed->kind == PendingKind::io) {
    call.io(at, IoStep::operation_tested, claimed->file->id, {.id = claimed->number});
  } else if (claimed->is_active && claimed->kind != PendingKind::nothing) {
    call.request(at, MpiRequestStep::tested, claimed->number);
  } else {
    end_of_call(call, at);
  }
}

}  // namespace

void tested(const Call& call, Pending* claimed, Endpoint at) noexcept {
  record_tested(call, claimed, at);
  release(claimed);
}

void start(const Call& call, const Pending& p, Endpoint at) noexcept {
  switch (p.kind) {
    case PendingKind::send:
      return call.send(at, *p.comm, p.peer, p.tag, p.sent, p.number);
    case PendingKind::receive:
      return call.request(at, MpiRequestStep::receive_begins, p.number);
    case PendingKind::collective:
    case PendingKind::new_comm:
      return call.request(at, MpiRequestStep::collective_begins, p.number);
    default:
      if (at == Endpoint::begin) call.enter();
  }
}

}  // namespace tracer::mpi
