// SPDX-License-Identifier: BSD-3-Clause
// Hooks of collective operations: blocking, non-blocking and persistent.
#pragma once

#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

template <class Operation>
struct collective {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    const Word on = a[Operation::comm_at];
    Comm& comm = comm_of(call.thread, on);
    if (!is_known(comm)) return region::run(call, next, words...);
    call.enter(begins_collective);
    const Word result = next(words...);
    if (ends_failed(call, result)) return result;
    const std::uint64_t time = call.now();
    std::uint32_t root;
    const Volume volume = volume_of<Operation>(call, comm, on, a, root);
    call.collective(Endpoint::end, comm, Operation::operation, root, volume.sent, volume.received, 0, time);
    return result;
  }
};

template <class Operation>
void begin_collective(const Call& call, Pending& p, Word on, const Word* a) noexcept {
  p.comm = &comm_of(call.thread, on);
  if (!is_known(*p.comm)) return;
  p.kind = PendingKind::collective;
  p.operation = Operation::operation;
  const Volume volume = volume_of<Operation>(call, *p.comm, on, a, p.root);
  p.sent = volume.sent;
  p.received = volume.received;
}

template <class Operation>
struct icollective {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Begun p{call.thread};
    begin_collective<Operation>(call, *p, a[Operation::comm_at], a);
    p->number = next_number();
    start(call, *p, Endpoint::begin);
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};

template <class Operation>
struct collective_init {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Begun p{call.thread};
    begin_collective<Operation>(call, *p, a[Operation::comm_at], a);
    p->is_persistent = true;
    p->is_active = false;
    call.enter();
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};

}  // namespace tracer::mpi
