// SPDX-License-Identifier: BSD-3-Clause
// balance uneven|even: two ranks whose loops are made of sleeps; the first one's is shared unevenly or evenly by its
// threads, and the second waits for it: for a message in one step, for all in the next. Prints the nanoseconds that it
// took.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { steps = 12, pieces = 8 };

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void sleep_for(long ns) {
  const struct timespec time = {0, ns};
  nanosleep(&time, NULL);
}

static void work(const long* ns) {
#pragma omp parallel for schedule(static) num_threads(2)
  for (int i = 0; i < pieces; ++i) sleep_for(ns[i]);
}

int main(int argc, char** argv) {
  const long ms = 1000000, light = 4 * ms, most = 9 * ms, least = 1 * ms, mean = 5 * ms;
  long mine[pieces];
  int provided, rank, in = 0, out = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int is_even = argc > 1 && strcmp(argv[1], "even") == 0;
  for (int i = 0; i < pieces; ++i) mine[i] = rank == 1 ? light : is_even ? mean : i < pieces / 2 ? most : least;
  work(mine);  // makes the threads
  MPI_Barrier(MPI_COMM_WORLD);
  const long long begin = now();
  for (int step = 0; step < steps; ++step) {
    work(mine);
    if (step % 2 == 1) {
      MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (rank == 0) {
      MPI_Send(&out, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  if (rank == 1) printf("%lld\n", now() - begin);
  MPI_Finalize();
  return 0;
}
