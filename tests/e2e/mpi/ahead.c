/* SPDX-License-Identifier: BSD-3-Clause
 * The root of many broadcasts works least and waits for nobody: it is many of them ahead. */
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  volatile double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    for (int k = 0; k < 10000 * rank; ++k) sum += k;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (i % 100 == 0) MPI_Barrier(MPI_COMM_SELF);
  }
  MPI_Finalize();
  return 0;
}
