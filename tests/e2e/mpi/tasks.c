/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_THREAD_MULTIPLE: OpenMP tasks, each of which sends, receives and tests on its own. Argument: number of tasks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Threads that make communicators, use them and free them all the time: what one frees is at once another's. */
static void communicators(int next, int before) {
  enum { most = 8, rounds = 100 };
  MPI_Comm of_thread[most];
  for (int t = 0; t < most; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[t]);
#pragma omp parallel for schedule(static, 1)
  for (int t = 0; t < most; ++t) {
    for (int i = 0; i < rounds; ++i) {
      MPI_Comm made;
      int in, out = i;
      MPI_Comm_dup(of_thread[t], &made);
      MPI_Sendrecv(&out, 1, MPI_INT, next, t, &in, 1, MPI_INT, before, t, made, MPI_STATUS_IGNORE);
      MPI_Comm_free(&made);
    }
  }
  for (int t = 0; t < most; ++t) MPI_Comm_free(&of_thread[t]);
}

int main(int argc, char** argv) {
  int provided, rank, size;
  const int tasks = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) puts("no MPI_THREAD_MULTIPLE");
    MPI_Finalize();
    return 77;
  }
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  long wrong = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i) shared(wrong)
    {
      int out[4] = {rank, i, 2, 3}, in[4] = {-1, -1, -1, -1}, done = 0;
      MPI_Request requests[2];
      MPI_Irecv(in, 4, MPI_INT, before, i, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out, 4 - i % 3, MPI_INT, next, i, MPI_COMM_WORLD, &requests[1]);
      while (!done) {
        MPI_Testall(2, requests, &done, i % 2 ? MPI_STATUSES_IGNORE : (MPI_Status[2]){{0}});
        if (!done) {
          usleep(200); /* each look at it is in the trace */
#pragma omp taskyield
        }
      }
      if (in[0] != before || in[1] != i) {
#pragma omp atomic
        ++wrong;
      }
    }
  }
  communicators(next, before);
  if (wrong != 0) printf("%ld wrong\n", wrong);
  MPI_Finalize();
  return wrong != 0;
}
