// SPDX-License-Identifier: BSD-3-Clause
// One team in each rank, unless there is an argument, and one collective.
#include <mpi.h>
int main(int c, char** v) {
  int sum = 0, provided;
  MPI_Init_thread(&c, &v, MPI_THREAD_FUNNELED, &provided);
  if (c > 1) {
    sum = 1;
  } else {
#pragma omp parallel reduction(+ : sum)
    sum += 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum == 0;
}
