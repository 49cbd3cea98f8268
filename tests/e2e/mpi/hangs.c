/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 waits for a message that rank 1 sends when the file exists. Argument: the file. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int rank, sum = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&sum, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* waits */
  } else {
    while (access(argv[1], F_OK) != 0) usleep(10000);
    MPI_Send(&sum, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return sum != 1;
}
