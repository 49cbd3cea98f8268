/* SPDX-License-Identifier: BSD-3-Clause
 * The clock and the closing line of the whole-program benchmarks. */
#ifndef TRACER_BENCH_KERNEL_H
#define TRACER_BENCH_KERNEL_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double kernel_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline long kernel_argument(int argc, char** argv, int index, long otherwise) {
  return argc > index ? atol(argv[index]) : otherwise;
}

/* Prints the time that the driver reads; the result says whether the kernel computed the right thing. */
static inline int kernel_done(double begin, int correct) {
  printf("kernel %.9f\n", kernel_now() - begin);
  if (!correct) fprintf(stderr, "wrong result\n");
  return correct ? 0 : 1;
}

#endif
