// SPDX-License-Identifier: BSD-3-Clause
// An intercommunicator whose leaders find each other in a communicator that the other ranks do not name, and a duplicate
// of it. Four ranks.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Comm peer, half, between, again;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &peer);
  MPI_Comm_set_name(peer, "peer");
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, rank < 2 ? peer : MPI_COMM_NULL, 1 - rank % 2, 3, &between);
  MPI_Barrier(between);
  MPI_Comm_dup(between, &again);
  MPI_Barrier(again);
  MPI_Comm_free(&again);
  MPI_Comm_free(&between);
  MPI_Finalize();
  return 0;
}
