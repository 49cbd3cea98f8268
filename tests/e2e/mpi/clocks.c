/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between all ranks, and marks (MPI_Pcontrol) of which the program knows the kernel's own time: TRUTH.<rank>
 * has for each mark the times before and after it. Argument: rounds. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long truth(void) {
  struct timespec t;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
  int rank, size;
  const int rounds = argc > 1 ? atoi(argv[1]) : 50;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm odd;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
  char name[4096];
  snprintf(name, sizeof name, "%s.%d", getenv("TRUTH"), rank);
  FILE* file = fopen(name, "w");
  for (int i = 0; i < rounds; ++i) {
    const int step = 1 + i % (size - 1);
    double in, out = i;
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + step) % size, 1, &in, 1, MPI_DOUBLE, (rank + size - step) % size, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int half, mine;
    MPI_Comm_size(odd, &half);
    MPI_Comm_rank(odd, &mine);
    if (half > 1) {
      MPI_Request requests[2];
      MPI_Irecv(&in, 1, MPI_DOUBLE, (mine + half - 1) % half, 2, odd, &requests[0]);
      MPI_Isend(&out, 1, MPI_DOUBLE, (mine + 1) % half, 2, odd, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    usleep(20000); /* of a run that lasts a moment nobody learns how fast its clocks go */
    const long long before = truth();
    MPI_Pcontrol(1);
    fprintf(file, "%lld %lld\n", before, truth());
  }
  fclose(file);
  MPI_Comm_free(&odd);
  MPI_Finalize();
  return 0;
}
