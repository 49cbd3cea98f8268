/* SPDX-License-Identifier: BSD-3-Clause */
/* Parents spawn as many children and talk to them: by messages, a broadcast, and as one communicator. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Comm parent, others, all;
  int rank, size, token = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_get_parent(&parent);
  const int is_parent = parent == MPI_COMM_NULL;
  if (is_parent) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, size, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others, MPI_ERRCODES_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, rank, 5, others);
    MPI_Recv(&token, 1, MPI_INT, rank, 6, others, MPI_STATUS_IGNORE);
  } else {
    others = parent;
    MPI_Recv(&token, 1, MPI_INT, rank, 5, others, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, rank, 6, others);
  }
  MPI_Intercomm_merge(others, !is_parent, &all);
  int in, out = rank, whole, mine;
  MPI_Comm_size(all, &whole);
  MPI_Comm_rank(all, &mine);
  MPI_Sendrecv(&out, 1, MPI_INT, (mine + 1) % whole, 7, &in, 1, MPI_INT, (mine + whole - 1) % whole, 7, all,
               MPI_STATUS_IGNORE);
  MPI_Barrier(all);
  /* Among themselves, with the same ranks and tags as the others. */
  MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 8, &in, 1, MPI_INT, (rank + size - 1) % size, 8, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return token == rank ? 0 : 1;
}
