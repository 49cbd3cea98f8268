/* SPDX-License-Identifier: BSD-3-Clause */
/* Nanoseconds per call of MPI, as the fastest of many batches: run it without and with libtracer-mpi.so. One rank or
 * two. With an argument under MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { batches = 60, calls = 2000 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int rank, other;
static double in[1], out[1];

static void probe(void) {
  int flag;
  MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void requests(void) {
  MPI_Request r[2];
  MPI_Irecv(in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &r[0]);
  MPI_Isend(out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}
static void allreduce_alone(void) {
  MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void to_itself(void) {
  MPI_Sendrecv(out, 1, MPI_DOUBLE, 0, 1, in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void size_of_comm(void) {
  int n;
  MPI_Comm_size(MPI_COMM_WORLD, &n);
}
static void ping_pong(void) {
  if (rank == 0) {
    MPI_Send(out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
  }
}

static void measure(const char* name, void (*work)(void), int calls_each) {
  double best = 1e30;
  for (int b = 0; b < batches; ++b) {
    const double begin = now();
    for (int i = 0; i < calls; ++i) work();
    const double each = (now() - begin) / calls / calls_each;
    if (each < best) best = each;
  }
  if (rank == 0) printf("%-28s %8.1f\n", name, best);
}

int main(int argc, char** argv) {
  int ranks, provided;
  argc > 1 ? MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided) : MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = 1 - rank;
  measure("Comm_size", size_of_comm, 1);
  measure("Iprobe", probe, 1);
  measure("Irecv + Isend + Waitall", requests, 3);
  measure("Sendrecv, one rank", to_itself, 1);
  measure("Allreduce, one rank", allreduce_alone, 1);
  if (ranks == 2) measure("Send / Recv, two ranks", ping_pong, 2);
  MPI_Finalize();
  return 0;
}
