// SPDX-License-Identifier: BSD-3-Clause
// On a line of its standard input it maps an array, and sends it, changes it and fetches it again and again for two
// seconds. Prints "ready", and at the end "STEPS BYTES".
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { size = 1 << 20 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(void) {
  int* a = malloc(size * sizeof *a);
  for (int i = 0; i < size; ++i) a[i] = 0;
#pragma omp target map(tofrom : a [0:1])
  a[0] = 0;
  puts("ready");
  fflush(stdout);
  (void)getchar();
  int steps = 0;
#pragma omp target enter data map(alloc : a [0:size])
  for (const double begin = now(); now() - begin < 2; ++steps) {
#pragma omp target update to(a [0:size])
#pragma omp target map(present, alloc : a [0:size])
    for (int i = 0; i < size; ++i) a[i] += 1;
#pragma omp target update from(a [0:size])
    const struct timespec rest = {0, 5000000};
    nanosleep(&rest, NULL);
  }
#pragma omp target exit data map(release : a [0:size])
  printf("%d %zu\n", steps, size * sizeof *a);
  const int right = a[size - 1] == steps;
  free(a);
  return right ? 0 : 1;
}
