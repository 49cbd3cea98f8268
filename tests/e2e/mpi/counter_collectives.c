/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations, for the counter: bytes by operation. */
#include "counter.h"

/* Collective operations: what this rank sends to all and receives from all, itself included, without what is in place.
 */
struct shape {
  int n, own, me, is_inter; /* n: between two groups of the other one */
};
static struct shape shape_of(MPI_Comm comm) {
  struct shape s;
  ++depth;
  PMPI_Comm_size(comm, &s.own);
  s.n = s.own;
  PMPI_Comm_rank(comm, &s.me);
  PMPI_Comm_test_inter(comm, &s.is_inter);
  if (s.is_inter) PMPI_Comm_remote_size(comm, &s.n);
  --depth;
  return s;
}
static long sum(const int counts[], int n) {
  long total = 0;
  for (int i = 0; i < n; ++i) total += counts[i];
  return total;
}
static void moved(const char* operation, long sent, long got) {
  char key[64];
  snprintf(key, sizeof key, "collective %s", operation);
  add(key, sent, got);
}

int MPI_Barrier(MPI_Comm comm) {
  int result;
  NEXT(MPI_Barrier, comm)
  moved("BARRIER", 0, 0);
  return INNER(next(comm));
}
ALSO(MPI_Barrier)
int MPI_Bcast(void* buffer, int n, MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Bcast, buffer, n, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("BCAST", s.me == root ? s.n * bytes_of(type, n) : 0, bytes_of(type, n));
  return INNER(next(buffer, n, type, root, comm));
}
ALSO(MPI_Bcast)
int MPI_Gather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, int root,
               MPI_Comm comm) {
  int result;
  NEXT(MPI_Gather, out, sent, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = out == MPI_IN_PLACE;
  moved("GATHER", in_place ? 0 : bytes_of(sent_type, sent), s.me == root ? (s.n - in_place) * bytes_of(type, n) : 0);
  return INNER(next(out, sent, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Gather)
int MPI_Gatherv(const void* out, int sent, MPI_Datatype sent_type, void* in, const int n[], const int places[],
                MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Gatherv, out, sent, sent_type, in, n, places, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("GATHERV", bytes_of(sent_type, sent), s.me == root ? bytes_of(type, sum(n, s.n)) : 0);
  return INNER(next(out, sent, sent_type, in, n, places, type, root, comm));
}
ALSO(MPI_Gatherv)
int MPI_Scatter(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, int root,
                MPI_Comm comm) {
  int result;
  NEXT(MPI_Scatter, out, sent, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = in == MPI_IN_PLACE;
  moved("SCATTER", s.me == root ? (s.n - in_place) * bytes_of(sent_type, sent) : 0, in_place ? 0 : bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Scatter)
int MPI_Scatterv(const void* out, const int sent[], const int places[], MPI_Datatype sent_type, void* in, int n,
                 MPI_Datatype type, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Scatterv, out, sent, places, sent_type, in, n, type, root, comm)
  const struct shape s = shape_of(comm);
  moved("SCATTERV", s.me == root ? bytes_of(sent_type, sum(sent, s.n)) : 0, bytes_of(type, n));
  return INNER(next(out, sent, places, sent_type, in, n, type, root, comm));
}
ALSO(MPI_Scatterv)
int MPI_Reduce(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce, out, in, n, type, op, root, comm)
  const struct shape s = shape_of(comm);
  const int in_place = out == MPI_IN_PLACE;
  moved("REDUCE", in_place ? 0 : bytes_of(type, n), s.me == root ? (s.n - in_place) * bytes_of(type, n) : 0);
  return INNER(next(out, in, n, type, op, root, comm));
}
ALSO(MPI_Reduce)
int MPI_Allreduce(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Allreduce, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  const long all = (s.n - (out == MPI_IN_PLACE)) * bytes_of(type, n);
  moved("ALLREDUCE", all, all);
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Allreduce)
int MPI_Allgather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                  MPI_Comm comm) {
  int result;
  NEXT(MPI_Allgather, out, sent, sent_type, in, n, type, comm)
  const struct shape s = shape_of(comm);
  if (out == MPI_IN_PLACE) {
    moved("ALLGATHER", (s.n - 1) * bytes_of(type, n), (s.n - 1) * bytes_of(type, n));
  } else {
    moved("ALLGATHER", s.n * bytes_of(sent_type, sent), s.n * bytes_of(type, n));
  }
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Allgather)
int MPI_Allgatherv(const void* out, int sent, MPI_Datatype sent_type, void* in, const int n[], const int places[],
                   MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Allgatherv, out, sent, sent_type, in, n, places, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLGATHERV", s.n * bytes_of(sent_type, sent), bytes_of(type, sum(n, s.n)));
  return INNER(next(out, sent, sent_type, in, n, places, type, comm));
}
ALSO(MPI_Allgatherv)
int MPI_Alltoall(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoall, out, sent, sent_type, in, n, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLTOALL", s.n * bytes_of(sent_type, sent), s.n * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Alltoall)
int MPI_Alltoallv(const void* out, const int sent[], const int from[], MPI_Datatype sent_type, void* in, const int n[],
                  const int places[], MPI_Datatype type, MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoallv, out, sent, from, sent_type, in, n, places, type, comm)
  const struct shape s = shape_of(comm);
  moved("ALLTOALLV", bytes_of(sent_type, sum(sent, s.n)), bytes_of(type, sum(n, s.n)));
  return INNER(next(out, sent, from, sent_type, in, n, places, type, comm));
}
ALSO(MPI_Alltoallv)
int MPI_Alltoallw(const void* out, const int sent[], const int from[], const MPI_Datatype sent_types[], void* in,
                  const int n[], const int places[], const MPI_Datatype types[], MPI_Comm comm) {
  int result;
  NEXT(MPI_Alltoallw, out, sent, from, sent_types, in, n, places, types, comm)
  const struct shape s = shape_of(comm);
  long all = 0, got = 0;
  for (int i = 0; i < s.n; ++i) all += bytes_of(sent_types[i], sent[i]), got += bytes_of(types[i], n[i]);
  moved("ALLTOALLW", all, got);
  return INNER(next(out, sent, from, sent_types, in, n, places, types, comm));
}
ALSO(MPI_Alltoallw)
int MPI_Reduce_scatter(const void* out, void* in, const int n[], MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce_scatter, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("REDUCE_SCATTER", bytes_of(type, sum(n, s.own)), s.n * bytes_of(type, n[s.me]));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Reduce_scatter)
int MPI_Reduce_scatter_block(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Reduce_scatter_block, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("REDUCE_SCATTER_BLOCK", s.own * bytes_of(type, n), s.n * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Reduce_scatter_block)
int MPI_Scan(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Scan, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("SCAN", (s.n - s.me) * bytes_of(type, n), (s.me + 1) * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Scan)
int MPI_Exscan(const void* out, void* in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  int result;
  NEXT(MPI_Exscan, out, in, n, type, op, comm)
  const struct shape s = shape_of(comm);
  moved("EXSCAN", (s.n - s.me - 1) * bytes_of(type, n), s.me * bytes_of(type, n));
  return INNER(next(out, in, n, type, op, comm));
}
ALSO(MPI_Exscan)

/* With the neighbours in a ring. */
int MPI_Neighbor_allgather(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                           MPI_Comm comm) {
  int result;
  NEXT(MPI_Neighbor_allgather, out, sent, sent_type, in, n, type, comm)
  moved("ALLGATHER", 2 * bytes_of(sent_type, sent), 2 * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Neighbor_allgather)
int MPI_Neighbor_alltoall(const void* out, int sent, MPI_Datatype sent_type, void* in, int n, MPI_Datatype type,
                          MPI_Comm comm) {
  int result;
  NEXT(MPI_Neighbor_alltoall, out, sent, sent_type, in, n, type, comm)
  moved("ALLTOALL", 2 * bytes_of(sent_type, sent), 2 * bytes_of(type, n));
  return INNER(next(out, sent, sent_type, in, n, type, comm));
}
ALSO(MPI_Neighbor_alltoall)
