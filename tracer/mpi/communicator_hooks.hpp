// SPDX-License-Identifier: BSD-3-Clause
// Hooks of communicators and of types.
#pragma once

#include "tracer/mpi/hook.hpp"

namespace tracer::mpi {

/// (parent, ..., new communicator)
template <Making making>
struct comm_making {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Comm& parent = comm_of(call.thread, a[0]);
    const std::uint32_t ordinal = making == Making::by_parent ? next_child(parent) : 0;
    call.enter(begins_collective);
    const Word result = next(words...);
    if (static_cast<int>(result) == 0) {
      const Comm* const made = add_comm(family.load(a[sizeof...(words) - 1]), parent, making, ordinal);
      if (made != nullptr) call.comm_made(*made);
    }
    call.collective(Endpoint::end, parent, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};
using comm_new = comm_making<Making::by_parent>;
using comm_create_group = comm_making<Making::by_group>;
using comm_merge = comm_making<Making::by_merge>;
using intercomm_create = comm_making<Making::by_leaders>;

/// (parent, ..., new communicator, request)
struct comm_idup {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Pending p;
    p.comm = &comm_of(call.thread, a[0]);
    p.kind = PendingKind::new_comm;
    p.operation = MpiOperation::create_handle;
    p.number = next_number();
    p.ordinal = next_child(*p.comm);
    p.new_comm = a[sizeof...(words) - 2];
    start(call, p, Endpoint::begin);
    const Word result = next(words...);
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};
using comm_idup_with_info = comm_idup;

/// With processes of which MPI_COMM_WORLD does not know: what is sent there is only counted.
struct comm_foreign : region {};

struct comm_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word on) noexcept {
    const Word handle = family.load(on);
    const Comm& comm = comm_of(call.thread, handle);
    call.enter(begins_collective);
    const Word result = next(on);
    if (static_cast<int>(result) == 0) {
      forget_comm(handle);
      call.comm_gone(comm);
    }
    call.collective(Endpoint::end, comm, MpiOperation::destroy_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};
using comm_disconnect = comm_free;

struct comm_set_name {
  template <class Next>
  static Word run(const Call& call, Next next, Word on, Word name) noexcept {
    name_comm(comm_of(call.thread, on), reinterpret_cast<const char*>(name));
    return region::run(call, next, on, name);
  }
};

struct type_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word type) noexcept {
    call.enter();
    const Word result = next(type);
    type_generation.fetch_add(1, std::memory_order_relaxed);
    call.leave();
    return result;
  }
};

}  // namespace tracer::mpi
