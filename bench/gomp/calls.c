/* SPDX-License-Identifier: BSD-3-Clause */
/* Nanoseconds per construct of a program of GCC, in a team of one thread, as the fastest of many batches: run it
 * without and with a library before libgomp. */
#include <omp.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { batches = 60, calls = 500 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static volatile long counter;
static omp_lock_t lock;
static volatile int one = 1;

static void critical(void) {
#pragma omp critical
  ++counter;
}
static void set_and_unset(void) {
  omp_set_lock(&lock);
  ++counter;
  omp_unset_lock(&lock);
}
static void barrier(void) {
#pragma omp barrier
  ++counter;
}
static void taskwait(void) {
#pragma omp taskwait
  ++counter;
}
static void single(void) {
#pragma omp single nowait
  ++counter;
}
static void task(void) {
#pragma omp task if (0)
  ++counter;
}
static void loop(void) {
#pragma omp for schedule(dynamic) nowait
  for (int i = 0; i < one; ++i) ++counter;
}
static void region(void) {
#pragma omp parallel num_threads(1)
  ++counter;
}

static void measure(const char* name, void (*work)(void)) {
  double best = 1e30;
  for (int b = 0; b < batches; ++b) {
    usleep(1000); /* the rings are emptied meanwhile */
    const double begin = now();
    for (int i = 0; i < calls; ++i) work();
    const double each = (now() - begin) / calls;
    if (each < best) best = each;
  }
  printf("%-28s %8.1f\n", name, best);
}

int main(void) {
  omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
  {
    measure("critical", critical);
    measure("omp_set_lock, omp_unset_lock", set_and_unset);
    measure("barrier", barrier);
    measure("taskwait", taskwait);
    measure("single", single);
    measure("task if(0)", task);
    measure("for schedule(dynamic)", loop);
  }
  measure("parallel", region);
  return 0;
}
