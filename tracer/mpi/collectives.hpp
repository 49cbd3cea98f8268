// SPDX-License-Identifier: BSD-3-Clause
// How many bytes each collective operation moves, from this rank's arguments: what the rank sends to all others and
// itself, and receives from them. MPI_IN_PLACE leaves the rank's own part out. (Conventions of Score-P.)
//
// `n` ranks (between two groups those of the other one), `a` the arguments in their order. Scalars and arrays of counts
// have the width of the call's.
#pragma once

#include "tracer/mpi/call.hpp"

namespace tracer::mpi {

struct Volume {
  std::uint64_t sent = 0, received = 0;
};

struct Arguments {
  const Call& call;
  Comm& comm;
  Word handle;  ///< the communicator's
  const Word* a;

  std::uint64_t n() const noexcept { return comm.others(); }
  /// Of this rank's group.
  std::uint64_t size() const noexcept { return static_cast<std::uint64_t>(comm.size); }
  std::uint64_t me() const noexcept { return static_cast<std::uint64_t>(comm.rank); }
  bool in_place(unsigned i) const noexcept { return a[i] == family.in_place; }
  std::uint64_t bytes(unsigned count, unsigned type) const noexcept { return call.bytes(a[count], a[type]); }
  std::uint64_t own(unsigned counts, unsigned type) const noexcept {
    return bytes_of(call.thread, call.count_at(a[counts], me()), a[type]);
  }
  std::uint64_t sum(unsigned counts, unsigned type, std::uint64_t of) const noexcept {
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < of; ++i) total += call.count_at(a[counts], i);
    return bytes_of(call.thread, total, a[type]);
  }
  std::uint64_t sum_of_types(unsigned counts, unsigned types, std::uint64_t of) const noexcept {
    std::uint64_t total = 0;
    for (std::uint64_t i = 0; i < of; ++i)
      total += bytes_of(call.thread, call.count_at(a[counts], i), family.load(a[types], i));
    return total;
  }
};

/// The root of a rooted operation and whether it is this rank; between two groups the root sees the other group only.
struct Root {
  std::uint32_t rank = mpi_root_none;
  bool is_me = false, takes_part = true;

  Root(const Comm& comm, Word argument) noexcept {
    const int root = static_cast<int>(argument);
    if (comm.remote != 0 && root == family.root) {
      rank = mpi_root_self;
      is_me = true;
    } else if (comm.remote != 0 && root == family.proc_null) {
      rank = mpi_root_this_group;
      takes_part = false;
    } else {
      rank = static_cast<std::uint32_t>(root);
      is_me = comm.remote == 0 && root == comm.rank;
    }
  }
};

struct Rootless {
  static constexpr int root_at = -1;
};

template <unsigned at>
struct Rooted {
  static constexpr int root_at = at;
};

// (comm)
struct barrier : Rootless {
  static constexpr auto operation = MpiOperation::barrier;
  static constexpr unsigned comm_at = 0;
  static Volume volume(const Arguments&, const Root*) noexcept { return {}; }
};
// (buffer, count, type, root, comm)
struct bcast : Rooted<3> {
  static constexpr auto operation = MpiOperation::bcast;
  static constexpr unsigned comm_at = 4;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    const std::uint64_t bytes = x.bytes(1, 2);
    if (x.comm.remote != 0) return root->is_me ? Volume{x.n() * bytes, 0} : Volume{0, bytes};
    return {root->is_me ? x.n() * bytes : 0, bytes};
  }
};
// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)
struct gather : Rooted<6> {
  static constexpr auto operation = MpiOperation::gather;
  static constexpr unsigned comm_at = 7;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    if (!root->is_me) return {x.bytes(1, 2), 0};
    const std::uint64_t each = x.bytes(4, 5);
    if (x.comm.remote != 0) return {0, x.n() * each};
    if (x.in_place(0)) return {0, (x.n() - 1) * each};
    return {x.bytes(1, 2), x.n() * each};
  }
};
// (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displacements, recvtype, root, comm)
struct gatherv : Rooted<7> {
  static constexpr auto operation = MpiOperation::gatherv;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    if (!root->is_me) return {x.bytes(1, 2), 0};
    const std::uint64_t all = x.sum(4, 6, x.n());
    if (x.comm.remote != 0) return {0, all};
    if (x.in_place(0)) return {0, all - x.own(4, 6)};
    return {x.bytes(1, 2), all};
  }
};
// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm)
struct scatter : Rooted<6> {
  static constexpr auto operation = MpiOperation::scatter;
  static constexpr unsigned comm_at = 7;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    if (!root->is_me) return {0, x.bytes(4, 5)};
    const std::uint64_t each = x.bytes(1, 2);
    if (x.comm.remote != 0) return {x.n() * each, 0};
    if (x.in_place(3)) return {(x.n() - 1) * each, 0};
    return {x.n() * each, x.bytes(4, 5)};
  }
};
// (sendbuf, sendcounts, displacements, sendtype, recvbuf, recvcount, recvtype, root, comm)
struct scatterv : Rooted<7> {
  static constexpr auto operation = MpiOperation::scatterv;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    if (!root->is_me) return {0, x.bytes(5, 6)};
    const std::uint64_t all = x.sum(1, 3, x.n());
    if (x.comm.remote != 0) return {all, 0};
    if (x.in_place(4)) return {all - x.own(1, 3), 0};
    return {all, x.bytes(5, 6)};
  }
};
// (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm)
struct allgather : Rootless {
  static constexpr auto operation = MpiOperation::allgather;
  static constexpr unsigned comm_at = 6;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t each = x.bytes(4, 5);
    if (x.in_place(0)) return {(x.n() - 1) * each, (x.n() - 1) * each};
    return {x.n() * x.bytes(1, 2), x.n() * each};
  }
};
struct alltoall : allgather {
  static constexpr auto operation = MpiOperation::alltoall;
};
// (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displacements, recvtype, comm)
struct allgatherv : Rootless {
  static constexpr auto operation = MpiOperation::allgatherv;
  static constexpr unsigned comm_at = 7;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t all = x.sum(4, 6, x.n());
    if (x.in_place(0)) return {(x.n() - 1) * x.own(4, 6), all - x.own(4, 6)};
    return {x.n() * x.bytes(1, 2), all};
  }
};
// (sendbuf, sendcounts, displacements, sendtype, recvbuf, recvcounts, displacements, recvtype, comm)
struct alltoallv : Rootless {
  static constexpr auto operation = MpiOperation::alltoallv;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t all = x.sum(5, 7, x.n());
    if (x.in_place(0)) return {all - x.own(5, 7), all - x.own(5, 7)};
    return {x.sum(1, 3, x.n()), all};
  }
};
struct alltoallw : Rootless {
  static constexpr auto operation = MpiOperation::alltoallw;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t all = x.sum_of_types(5, 7, x.n());
    if (x.in_place(0)) {
      const std::uint64_t own = bytes_of(x.call.thread, x.call.count_at(x.a[5], x.me()), family.load(x.a[7], x.me()));
      return {all - own, all - own};
    }
    return {x.sum_of_types(1, 3, x.n()), all};
  }
};
// (sendbuf, recvbuf, count, type, op, comm)
struct allreduce : Rootless {
  static constexpr auto operation = MpiOperation::allreduce;
  static constexpr unsigned comm_at = 5;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t all = (x.n() - (x.in_place(0) ? 1 : 0)) * x.bytes(2, 3);
    return {all, all};
  }
};
// (sendbuf, recvbuf, recvcount, type, op, comm)
struct reduce_scatter_block : Rootless {
  static constexpr auto operation = MpiOperation::reduce_scatter_block;
  static constexpr unsigned comm_at = 5;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t each = x.bytes(2, 3), left_out = x.in_place(0) ? 1 : 0;
    return {(x.size() - left_out) * each, (x.n() - left_out) * each};
  }
};
// (sendbuf, recvbuf, count, type, op, root, comm)
struct reduce : Rooted<5> {
  static constexpr auto operation = MpiOperation::reduce;
  static constexpr unsigned comm_at = 6;
  static Volume volume(const Arguments& x, const Root* root) noexcept {
    const std::uint64_t bytes = x.bytes(2, 3);
    if (!root->is_me) return {bytes, 0};
    if (x.comm.remote != 0) return {0, x.n() * bytes};
    if (x.in_place(0)) return {0, (x.n() - 1) * bytes};
    return {bytes, x.n() * bytes};
  }
};
// (sendbuf, recvbuf, recvcounts, type, op, comm)
struct reduce_scatter : Rootless {
  static constexpr auto operation = MpiOperation::reduce_scatter;
  static constexpr unsigned comm_at = 5;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t all = x.sum(2, 3, x.size()), own = x.own(2, 3);
    if (x.in_place(0)) return {all - own, (x.n() - 1) * own};
    return {all, x.n() * own};
  }
};
struct scan : Rootless {
  static constexpr auto operation = MpiOperation::scan;
  static constexpr unsigned comm_at = 5;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t bytes = x.bytes(2, 3), mine = x.in_place(0) ? 0 : 1;
    return {(x.n() - x.me() - 1 + mine) * bytes, (x.me() + mine) * bytes};
  }
};
struct exscan : Rootless {
  static constexpr auto operation = MpiOperation::exscan;
  static constexpr unsigned comm_at = 5;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    const std::uint64_t bytes = x.bytes(2, 3);
    return {(x.n() - x.me() - 1) * bytes, x.me() * bytes};
  }
};
// With the neighbours of the communicator's topology; arguments as the operations that are named so without it.
struct neighbor_allgather : Rootless {
  static constexpr auto operation = MpiOperation::allgather;
  static constexpr unsigned comm_at = 6;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    return {destinations_of(x.comm, x.handle) * x.bytes(1, 2), sources_of(x.comm, x.handle) * x.bytes(4, 5)};
  }
};
struct neighbor_alltoall : neighbor_allgather {
  static constexpr auto operation = MpiOperation::alltoall;
};
struct neighbor_allgatherv : Rootless {
  static constexpr auto operation = MpiOperation::allgatherv;
  static constexpr unsigned comm_at = 7;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    return {destinations_of(x.comm, x.handle) * x.bytes(1, 2), x.sum(4, 6, sources_of(x.comm, x.handle))};
  }
};
struct neighbor_alltoallv : Rootless {
  static constexpr auto operation = MpiOperation::alltoallv;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    return {x.sum(1, 3, destinations_of(x.comm, x.handle)), x.sum(5, 7, sources_of(x.comm, x.handle))};
  }
};
struct neighbor_alltoallw : Rootless {
  static constexpr auto operation = MpiOperation::alltoallw;
  static constexpr unsigned comm_at = 8;
  static Volume volume(const Arguments& x, const Root*) noexcept {
    return {x.sum_of_types(1, 3, destinations_of(x.comm, x.handle)),
            x.sum_of_types(5, 7, sources_of(x.comm, x.handle))};
  }
};

template <class Operation>
Volume volume_of(const Call& call, Comm& comm, Word handle, const Word* a, std::uint32_t& root) noexcept {
  const Arguments arguments{call, comm, handle, a};
  root = mpi_root_none;
  if constexpr (Operation::root_at >= 0) {
    const Root of(comm, a[Operation::root_at]);
    root = of.rank;
    return of.takes_part ? Operation::volume(arguments, &of) : Volume{};
  } else {
    return Operation::volume(arguments, nullptr);
  }
}

}  // namespace tracer::mpi
