/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat on a plate that is cut into strips, one per rank: while the edges travel between neighbours, OpenMP's threads
 * compute what does not need them. Usage: halo [SIZE [STEPS]] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int size = 1024, rows;

static double* row(double* plate, int i) {
  return plate + (size_t)i * (size_t)size;
}

/* Rows [first, last) of the new plate; the thread's part of them. */
static double compute(double* old, double* new, int first, int last) {
  double change = 0.0;
#pragma omp for schedule(static) nowait
  for (int i = first; i < last; ++i) {
    const double *above = row(old, i - 1), *here = row(old, i), *below = row(old, i + 1);
    double* out = row(new, i);
    for (int j = 1; j < size - 1; ++j) {
      out[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
      const double d = out[j] > here[j] ? out[j] - here[j] : here[j] - out[j];
      if (d > change) change = d;
    }
  }
  return change;
}

int main(int argc, char** argv) {
  int rank, ranks, provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1) size = atoi(argv[1]);
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  rows = size / ranks;
  if (size < 4 || rows < 2) {
    if (rank == 0) fprintf(stderr, "halo: at least two rows for each rank\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double* old = calloc((size_t)(rows + 2) * (size_t)size, sizeof(double));
  double* new = calloc((size_t)(rows + 2) * (size_t)size, sizeof(double));
  if (old == NULL || new == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
  if (rank == 0)
    for (int j = 0; j < size; ++j) row(old, 0)[j] = row(new, 0)[j] = 100.0;
  double largest = 0.0;
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[4];
    double change = 0.0;
    MPI_Irecv(row(old, 0), size, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(old, rows + 1), size, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(old, 1), size, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(old, rows), size, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
#pragma omp parallel reduction(max : change)
    {
      double mine = compute(old, new, 2, rows);
#pragma omp barrier
#pragma omp master
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
#pragma omp barrier
      const double edge = compute(old, new, 1, 2), other = compute(old, new, rows, rows + 1);
      if (edge > mine) mine = edge;
      if (other > mine) mine = other;
      change = mine;
    }
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double* swap = old;
    old = new;
    new = swap;
  }
  if (rank == 0) printf("%d ranks, %d steps: last change %.6f\n", ranks, steps, largest);
  free(old);
  free(new);
  MPI_Finalize();
  return 0;
}
