// SPDX-License-Identifier: BSD-3-Clause
// Heat spreads over a square plate (five-point stencil, Jacobi iteration) until it hardly changes.
//
// One parallel region holds the whole iteration: a worksharing loop with a reduction, a barrier, and a
// single that decides whether to go on. Usage: stencil [--count] [SIZE [STEPS]]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(double* plate, int n) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) plate[row * n + column] = row == 0 ? 100.0 : 0.0;
  }
}

static double change;  // the largest of a step; shared by the team, a reduction gathers it

// One step from `old` to `new`, to be called by all threads of a team.
static void step(const double* old, double* new, int n) {
#pragma omp for schedule(static) reduction(max : change) nowait
  for (int row = 1; row < n - 1; ++row) {
    for (int column = 1; column < n - 1; ++column) {
      const int at = row * n + column;
      new[at] = 0.25 * (old[at - n] + old[at + n] + old[at - 1] + old[at + 1]);
      change = fmax(change, fabs(new[at] - old[at]));
    }
  }
#pragma omp barrier
}

static double heat(const double* plate, int n) {
  double sum = 0.0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum)
  for (int at = 0; at < n * n; ++at) sum += plate[at];
  return sum;
}

// Iterates until the largest change is small; returns the number of steps. The result is in *plate.
static int iterate(double** plate, double** other, int n, int limit, int* threads) {
  int steps = 0, done = 0;
#pragma omp parallel
  {
#pragma omp single
    *threads = omp_get_num_threads();
    while (!done) {
      step(*plate, *other, n);
#pragma omp single
      {
        double* swap = *plate;
        *plate = *other;
        *other = swap;
        done = ++steps == limit || change < 1e-4;
        change = 0.0;
      }
    }
  }
  return steps;
}

// What the trace must show, by the names that it uses. Every thread of the team enters a construct.
static void print_counts(int steps, int threads) {
  printf("count parallel %d\n", 3 * threads);
  printf("count for %d\n", (1 + steps + 1) * threads);
  printf("count barrier %d\n", steps * threads);
  printf("count single %d\n", (1 + steps) * threads);
  printf("count acquire 0\n");
  printf("count fork 3\n");
  printf("count task 0\n");
}

int main(int argc, char** argv) {
  const int count = argc > 1 && strcmp(argv[1], "--count") == 0;
  const int n = argc > 1 + count ? atoi(argv[1 + count]) : 256;
  const int limit = argc > 2 + count ? atoi(argv[2 + count]) : 200;
  if (n < 3 || n > 20000 || limit < 1) {
    fprintf(stderr, "usage: %s [--count] [SIZE [STEPS]]\n", argv[0]);
    return 2;
  }
  double* plate = malloc(sizeof(double) * n * n);
  double* other = malloc(sizeof(double) * n * n);
  if (!plate || !other) return 1;
  fill(plate, n);
  memcpy(other, plate, sizeof(double) * n * n);
  int threads = 1;
  const int steps = iterate(&plate, &other, n, limit, &threads);
  printf("plate %d x %d, %d steps, heat %.4f\n", n, n, steps, heat(plate, n));
  if (count) print_counts(steps, threads);
  free(plate);
  free(other);
  return 0;
}
