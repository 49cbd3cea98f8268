// SPDX-License-Identifier: BSD-3-Clause
// The energy of charges in a box: each pair once, so the first rows of the triangle are long and the last ones short.
//
// A static schedule gives the first thread most of the pairs, and the others wait for it: what a report shows, and what
// `dynamic` mends. Usage: pairs [--count] [CHARGES [STEPS [static|dynamic]]]
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double x, y, z;
} Point;

static void place(Point* charges, int n) {
  unsigned state = 12345;
  for (int i = 0; i < n; ++i) {
    double* coordinates[] = {&charges[i].x, &charges[i].y, &charges[i].z};
    for (int axis = 0; axis < 3; ++axis) {
      state = state * 1664525u + 1013904223u;
      *coordinates[axis] = (double)(state >> 8) / (1 << 24);
    }
  }
}

// The energy between one charge and all behind it.
static double row(const Point* charges, int n, int i) {
  double sum = 0.0;
  for (int j = i + 1; j < n; ++j) {
    const double x = charges[i].x - charges[j].x, y = charges[i].y - charges[j].y, z = charges[i].z - charges[j].z;
    sum += 1.0 / sqrt(x * x + y * y + z * z + 1e-9);
  }
  return sum;
}

__attribute__((noinline)) static double energy_static(const Point* charges, int n) {
  double sum = 0.0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += row(charges, n, i);
  return sum;
}

__attribute__((noinline)) static double energy_dynamic(const Point* charges, int n) {
  double sum = 0.0;
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += row(charges, n, i);
  return sum;
}

int main(int argc, char** argv) {
  const int count = argc > 1 && strcmp(argv[1], "--count") == 0;
  const int n = argc > 1 + count ? atoi(argv[1 + count]) : 4000;
  const int steps = argc > 2 + count ? atoi(argv[2 + count]) : 10;
  const char* schedule = argc > 3 + count ? argv[3 + count] : "static";
  const int dynamic = strcmp(schedule, "dynamic") == 0;
  if (n < 2 || n > 1000000 || steps < 1 || (!dynamic && strcmp(schedule, "static") != 0)) {
    fprintf(stderr, "usage: %s [--count] [CHARGES [STEPS [static|dynamic]]]\n", argv[0]);
    return 2;
  }
  Point* charges = malloc(sizeof(Point) * n);
  if (!charges) return 1;
  place(charges, n);
  double energy = 0.0;
  for (int step = 0; step < steps; ++step) {
    energy += dynamic ? energy_dynamic(charges, n) : energy_static(charges, n);
    charges[step % n].x *= 0.5;
  }
  printf("%d charges, %d steps, schedule(%s), energy %.6g\n", n, steps, schedule, energy);
  if (count) {  // What the trace must show, by the names that it uses. Every thread of the team enters a construct.
    printf("count parallel %d\n", steps * omp_get_max_threads());
    printf("count for %d\n", steps * omp_get_max_threads());
    printf("count fork %d\n", steps);
    printf("count task 0\n");
    printf("count acquire 0\n");
  }
  free(charges);
  return 0;
}
