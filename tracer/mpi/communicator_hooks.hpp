// SPDX-License-Identifier: BSD-3-Clause
// Hooks of communicators and of types.
#pragma once

#include "tracer/mpi/hook.hpp"
#include "tracer/mpi/world.hpp"

namespace tracer::mpi {

/// (..., communicator, ..., new communicator, ...): all of the one make the other together. `on`, `made_at`: which
/// words they are, the latter from the last one's on (1).
template <Making making, unsigned on, unsigned made_at>
struct made_together {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Comm& parent = comm_of(call.thread, a[on]);
    if (!is_known(parent)) return region::run(call, next, words...);
    call.enter(begins_collective);
    const Word result = next(words...);
    if (ends_failed(call, result)) return result;
    const std::uint32_t ordinal = is_by_all(making) ? next_child(parent) : 0;
    Comm* const made = add_comm(family.load(a[sizeof...(words) - made_at]), parent, making, ordinal);
    if (made != nullptr) call.comm_made(*made);
    // Only the group's members call MPI_Comm_create_group: it is no operation of the parent.
    const Comm& all = making != Making::by_group ? parent : made != nullptr ? *made : self_comm();
    call.collective(Endpoint::end, all, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};
/// (parent, ..., new communicator)
template <Making making>
using comm_making = made_together<making, 0, 1>;
using comm_new = comm_making<Making::by_parent>;
using comm_dup = comm_making<Making::by_dup>;
using comm_create_group = comm_making<Making::by_group>;
using comm_merge = comm_making<Making::by_merge>;

/// (local, its leader, peer, the other leader, tag, new communicator): the peer means something to the leaders only.
struct intercomm_create {
  template <class Next>
  static Word run(const Call& call, Next next, Word local, Word leader, Word peer, Word other, Word tag,
                  Word made_at) noexcept {
    Comm& parent = comm_of(call.thread, local);
    if (!is_known(parent)) return region::run(call, next, local, leader, peer, other, tag, made_at);
    const Comm* const common = static_cast<int>(leader) == parent.rank ? &comm_of(call.thread, peer) : nullptr;
    call.enter(begins_collective);
    const Word result = next(local, leader, peer, other, tag, made_at);
    if (ends_failed(call, result)) return result;
    Comm* const made = add_comm(family.load(made_at), parent, Making::by_leaders, 0, common);
    if (made != nullptr) call.comm_made(*made);
    call.collective(Endpoint::end, parent, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};

/// (parent, ..., new communicator, request). Open MPI and MPICH give the handle at once. Where it was put may be gone
/// when the request ends: a variable of Open MPI's Fortran wrapper, of a function of the program's.
struct comm_idup {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    const Word a[] = {words...};
    Begun p{call.thread};
    p->comm = &comm_of(call.thread, a[0]);
    if (!is_known(*p->comm)) return region::run(call, next, words...);
    p->kind = PendingKind::new_comm;
    p->operation = MpiOperation::create_handle;
    p->number = next_number();
    start(call, *p, Endpoint::begin);
    const Word result = next(words...);
    if (!failed(result)) {
      p->ordinal = next_child(*p->comm);
      p->new_comm = family.load(a[sizeof...(words) - 2]);
    }
    keep(call, p, a[sizeof...(words) - 1], result, Endpoint::end);
    return result;
  }
};
using comm_idup_with_info = comm_idup;

/// With processes outside MPI_COMM_WORLD: what is sent there is only counted.
template <unsigned on, unsigned made_at>
using foreign_making = made_together<Making::foreign, on, made_at>;
using comm_spawn = foreign_making<5, 2>;  // the last word: error codes
using comm_spawn_multiple = foreign_making<6, 2>;
using comm_accept = foreign_making<3, 1>;
using comm_connect = foreign_making<3, 1>;
/// It is there without having been made by all of another one.
struct comm_foreign : region {};

/// (groups of a session, ..., new communicator)
struct comm_of_session {
  template <class Next, class... Words>
  static Word run(const Call& call, Next next, Words... words) noexcept {
    if (!is_live.load(std::memory_order_relaxed)) return region::run(call, next, words...);
    const Word a[] = {words...};
    call.enter(begins_collective);
    const Word result = next(words...);
    if (ends_failed(call, result)) return result;
    Comm* const made = add_comm(family.load(a[sizeof...(words) - 1]), world_comm(), Making::by_session, 0);
    if (made != nullptr) call.comm_made(*made);
    const Comm& on = made != nullptr ? *made : self_comm();
    call.collective(Endpoint::end, on, MpiOperation::create_handle, mpi_root_none, 0, 0, 0);
    return result;
  }
};

struct comm_free {
  template <class Next>
  static Word run(const Call& call, Next next, Word on) noexcept {
    const Word handle = family.load(on);
    const Comm& comm = comm_of(call.thread, handle);
    if (!comm.is_made) {  // its begin was not seen
      const Word result = region::run(call, next, on);
      if (!failed(result)) forget_comm(handle, comm);
      return result;
    }
    call.enter(begins_collective);
    const Word result = next(on);
    if (ends_failed(call, result)) return result;
    forget_comm(handle, comm);
    call.comm_gone(comm);
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
    // Before as well: another thread may have the handle for a type of its own as soon as it is free.
    type_generation.fetch_add(1, std::memory_order_relaxed);
    const Word result = next(type);
    type_generation.fetch_add(1, std::memory_order_relaxed);
    call.leave();
    return result;
  }
};

}  // namespace tracer::mpi
