// SPDX-License-Identifier: BSD-3-Clause
// aborts RANK CODE: after ten barriers that rank calls MPI_Abort, while the others wait for it. CODE 0: all ranks make
// an error in a collective operation, by which MPI ends them.
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 10; ++step) MPI_Barrier(MPI_COMM_WORLD);
  if (atoi(argv[2]) == 0) MPI_Bcast(&rank, 1, MPI_INT, 99, MPI_COMM_WORLD);
  if (rank == atoi(argv[1])) MPI_Abort(MPI_COMM_WORLD, atoi(argv[2]));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
