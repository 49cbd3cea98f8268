// SPDX-License-Identifier: BSD-3-Clause
// what_if KIND: five kinds of programs made of sleeps, on as many threads as OMP_NUM_THREADS says; prints how long its
// parallel and serial parts took, in ns, by its own clock.
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { parts = 48 };
static const long unit = 10000000;  // ns

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void rest(long ns) {
  const struct timespec t = {ns / 1000000000, ns % 1000000000};
  nanosleep(&t, NULL);
}

int main(int argc, char** argv) {
  const char* kind = argc > 1 ? argv[1] : "loop";
  int chain[2] = {0, 0};
#pragma omp parallel  // threads are made here
  rest(1000000);
  const long long begin = now();
  if (strcmp(kind, "loop") == 0) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < parts; ++i) rest(unit);
  } else if (strcmp(kind, "uneven") == 0) {  // the first half costs three times the second
#pragma omp parallel for schedule(static)
    for (int i = 0; i < parts; ++i) rest(i < parts / 2 ? 3 * unit / 2 : unit / 2);
  } else if (strcmp(kind, "serial") == 0) {
    rest(10 * unit);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < parts; ++i) rest(unit);
  } else if (strcmp(kind, "tasks") == 0) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < parts; ++i) {
#pragma omp task
      rest(unit);
    }
  } else if (strcmp(kind, "chains") == 0) {  // two chains: more than two threads are of no use
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < parts; ++i) {
      int* link = &chain[i % 2];
#pragma omp task depend(inout : link[0])
      rest(unit);
    }
  } else {
    return 2;
  }
  printf("%lld\n", now() - begin);
  return 0;
}
