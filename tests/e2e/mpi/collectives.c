/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective operations, blocking and not, in place and not, and on communicators of all kinds. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;
static int out[4096], in[4096], counts[64], places[64];
static MPI_Datatype types[64];

static void blocking(MPI_Comm comm) {
  int n, me;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  for (int i = 0; i < n; ++i) counts[i] = i + 1, places[i] = i * (i + 1) / 2, types[i] = i % 2 ? MPI_INT : MPI_FLOAT;
  for (int root = 0; root < n; ++root) {
    MPI_Bcast(out, 10, MPI_INT, root, comm);
    MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, root, comm);
    MPI_Gather(me == root ? MPI_IN_PLACE : (void*)out, 3, MPI_INT, in, 3, MPI_INT, root, comm);
    MPI_Gatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, root, comm);
    MPI_Scatter(out, 2, MPI_INT, in, 2, MPI_INT, root, comm);
    MPI_Scatter(out, 2, MPI_INT, me == root ? MPI_IN_PLACE : (void*)in, 2, MPI_INT, root, comm);
    MPI_Scatterv(out, counts, places, MPI_INT, in, me + 1, MPI_INT, root, comm);
    MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, comm);
    MPI_Reduce(me == root ? MPI_IN_PLACE : (void*)in, in, 5, MPI_INT, MPI_SUM, root, comm);
  }
  MPI_Barrier(comm);
  MPI_Allgather(out, 4, MPI_INT, in, 4, MPI_INT, comm);
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 4, MPI_INT, comm);
  MPI_Allgatherv(out, me + 1, MPI_INT, in, counts, places, MPI_INT, comm);
  MPI_Allreduce(out, in, 6, MPI_INT, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, in, 6, MPI_INT, MPI_SUM, comm);
  MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm);
  for (int i = 0; i < n; ++i) counts[i] = 1 + (i + me) % 3, places[i] = i * 4;
  MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
  for (int i = 0; i < n; ++i) places[i] = i * 16, types[i] = MPI_INT;
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, comm);
  for (int i = 0; i < n; ++i) counts[i] = i + 1;
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
  MPI_Reduce_scatter_block(out, in, 3, MPI_INT, MPI_SUM, comm);
  MPI_Scan(out, in, 7, MPI_INT, MPI_SUM, comm);
  MPI_Exscan(out, in, 7, MPI_INT, MPI_SUM, comm);
}

static void non_blocking(MPI_Comm comm) {
  MPI_Request requests[5];
  int n, flag = 0;
  MPI_Comm_size(comm, &n);
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Ibcast(out, 10, MPI_INT, n - 1, comm, &requests[1]);
  MPI_Iallreduce(out, in, 6, MPI_INT, MPI_SUM, comm, &requests[2]);
  MPI_Iallgather(out, 4, MPI_INT, in + 100, 4, MPI_INT, comm, &requests[3]);
  MPI_Ireduce(out, in + 200, 4, MPI_INT, MPI_SUM, 0, comm, &requests[4]);
  MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
  MPI_Ialltoall(out, 2, MPI_INT, in, 2, MPI_INT, comm, requests);
  while (!flag) MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
}

// As wrappers do: the variable is gone when the request ends, and something else is there.
static void begin_copy(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  MPI_Comm here;
  MPI_Comm_idup(comm, &here, request);
  *made = here;
  *(volatile MPI_Comm*)&here = MPI_COMM_NULL;
}

// Between two groups each group gives as many elements as the other one, whatever their sizes.
static void scatter_between(MPI_Comm between) {
  int n, remote;
  MPI_Comm_size(between, &n);
  MPI_Comm_remote_size(between, &remote);
  for (int i = 0; i < n; ++i) counts[i] = 2 * remote;
  ++counts[0], --counts[n - 1];
  MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, between);
  MPI_Reduce_scatter_block(out, in, remote, MPI_INT, MPI_SUM, between);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  blocking(MPI_COMM_WORLD);
  non_blocking(MPI_COMM_WORLD);
  blocking(MPI_COMM_SELF);
  MPI_Comm copy, part, made, ring, row, group_made, between, merged, later;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_set_name(copy, "the copy; of = all");
  blocking(copy);
  MPI_Comm_split(copy, rank % 2, -rank, &part);
  blocking(part);
  non_blocking(part);
  MPI_Comm none;
  MPI_Comm_split(copy, rank == 0 ? MPI_UNDEFINED : 1, rank, &none);
  if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
  for (int i = 0; i < 20; ++i) {
    MPI_Comm_split(copy, (rank + i) % 2, rank, &none);
    MPI_Barrier(none);
    MPI_Comm_free(&none);
  }
  MPI_Comm chain[60] = {copy};
  for (int i = 1; i < 60; ++i) MPI_Comm_dup(chain[i - 1], &chain[i]);
  MPI_Barrier(chain[59]);
  for (int i = 1; i < 60; ++i) MPI_Comm_free(&chain[i]);
  MPI_Group all, some;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  int first = 0;
  MPI_Group_excl(all, size > 1 ? 1 : 0, &first, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  if (made != MPI_COMM_NULL) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &group_made);
    blocking(group_made);
    MPI_Comm_free(&group_made);
    MPI_Comm_free(&made);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  int periods = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &ring);
  MPI_Neighbor_allgather(out, 5, MPI_INT, in, 5, MPI_INT, ring);
  MPI_Neighbor_alltoall(out, 3, MPI_INT, in, 3, MPI_INT, ring);
  MPI_Cart_sub(ring, &periods, &row);
  MPI_Barrier(row);
  MPI_Comm_free(&row);
  MPI_Comm_free(&ring);
  MPI_Request request;
  begin_copy(part, &later, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(later);
  MPI_Comm_free(&later);
  if (size > 1) {
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank % 2 ? size - 1 - (size - 1) % 2 : size - 1 - size % 2, 3,
                         &between);
    int remote, mine;
    MPI_Comm_remote_size(between, &remote);
    MPI_Comm_rank(between, &mine);
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, between);
    scatter_between(between);
    if (mine < remote && mine < size / 2) {
      int partner = mine;
      MPI_Sendrecv(out, 2, MPI_INT, partner, 1, in, 2, MPI_INT, partner, 1, between, MPI_STATUS_IGNORE);
    }
    MPI_Intercomm_merge(between, rank % 2, &merged);
    MPI_Barrier(merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&between);
  }
  MPI_Comm_free(&part);
  MPI_Comm_free(&copy);
  MPI_Finalize();
  return 0;
}
