/* SPDX-License-Identifier: BSD-3-Clause */
/* A job for the queries of tables: each rank has unequal work between barriers, tasks of two sites, and messages to the
 * next rank. ranks [STEPS [TASKS [BARRIERS]]]: steps, tasks and barriers in each. With -DNO_MPI a process by itself. */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef NO_MPI
#include <mpi.h>
#endif

static volatile double sink;

static void work(int amount) {
  double sum = 0.0;
  for (int i = 0; i < amount; ++i) sum += 1.0 / (i + 1);
  sink = sum;
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 4, tasks = argc > 2 ? atoi(argv[2]) : 20,
            barriers = argc > 3 ? atoi(argv[3]) : 3;
  int rank = 0, ranks = 1;
#ifndef NO_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel
    {
      for (int b = 0; b < barriers; ++b) {
        work(100 * (1 + (omp_get_thread_num() + rank + b) % 3));
#pragma omp barrier
      }
#pragma omp single
      for (int t = 0; t < tasks; ++t) {
#pragma omp task
        work(10 + rank % 7);
        if (t % 4 == 0) {
#pragma omp task
          work(50);
        }
      }
    }
#ifndef NO_MPI
    int64_t out[16] = {step, rank}, in[16];
    MPI_Sendrecv(out, 1 + rank % 16, MPI_INT64_T, (rank + 1) % ranks, 7, in, 16, MPI_INT64_T,
                 (rank + ranks - 1) % ranks, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  }
#ifndef NO_MPI
  MPI_Finalize();
#endif
  (void)ranks;
  return 0;
}
