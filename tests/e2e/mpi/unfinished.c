// SPDX-License-Identifier: BSD-3-Clause
// Ends without MPI_Finalize, with a receive, a one-sided operation and a lock open. One rank.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  static int there[4], in[4], out[4];
  MPI_Request request;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Win_create(there, sizeof there, sizeof there[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
  MPI_Put(out, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  MPI_Irecv(in, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
  puts("all is open");
  return 0;
}
