/* SPDX-License-Identifier: BSD-3-Clause
 * Runs a table of cases for a given time each and prints one line per case: what the micro-benchmarks share. */
#ifndef TRACER_BENCH_HARNESS_H
#define TRACER_BENCH_HARNESS_H

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Does about `n` constructs on each thread and returns how many it did per thread. */
typedef long (*bench_run)(long n);

struct bench_case {
  const char* name;
  bench_run run;
};

static inline double bench_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void bench_keep(void) {
  __asm__ volatile("" ::: "memory");
}

/* Callbacks by number, filled by the counting tool's control_tool callback. */
enum { BENCH_COUNT_COMMAND = 4711, BENCH_CALLBACKS = 64 };
struct bench_counts {
  uint64_t of[BENCH_CALLBACKS];
};

static inline uint64_t bench_total(const struct bench_counts* c) {
  uint64_t sum = 0;
  for (int i = 0; i < BENCH_CALLBACKS; ++i) sum += c->of[i];
  return sum;
}

/* Prints the callbacks per construct, over all threads: total, then number:count of each callback. */
static void bench_count(const struct bench_case* c) {
  static struct bench_counts before, after;
  c->run(100);
  if (omp_control_tool((omp_control_tool_t)BENCH_COUNT_COMMAND, 0, &before) != 0) {
    fprintf(stderr, "--count needs the counting tool\n");
    exit(2);
  }
  const double done = (double)c->run(5000);
  omp_control_tool((omp_control_tool_t)BENCH_COUNT_COMMAND, 0, &after);
  printf("%s %.2f", c->name, (double)(bench_total(&after) - bench_total(&before)) / done);
  for (int i = 0; i < BENCH_CALLBACKS; ++i) {
    const double each = (double)(after.of[i] - before.of[i]) / done;
    if (each >= 0.005) printf(" %d:%.2f", i, each);
  }
  printf("\n");
}

static double bench_time(const struct bench_case* c, long n) {
  const double begin = bench_now();
  const long done = c->run(n);
  return (bench_now() - begin) / (double)done;
}

static int bench_compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The median of five repetitions that together take about `seconds`, after a warm-up that finds n. */
static void bench_measure(const struct bench_case* c, double seconds) {
  enum { repetitions = 5 };
  double ns[repetitions];
  long n = 16;
  double each = bench_time(c, n);
  while (each * (double)n < seconds * 1e9 / 20 && n < 1L << 28) {
    n *= 4;
    each = bench_time(c, n);
  }
  n = (long)(seconds * 1e9 / repetitions / each) + 1;
  for (int i = 0; i < repetitions; ++i) ns[i] = bench_time(c, n);
  qsort(ns, repetitions, sizeof ns[0], bench_compare);
  printf("%s %.3f\n", c->name, ns[repetitions / 2]);
  fflush(stdout);
}

static int bench_main(int argc, char** argv, const struct bench_case* cases, int number) {
  double seconds = 0.1;
  const char* only = NULL;
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "--seconds") && i + 1 < argc) {
      seconds = atof(argv[++i]);
    } else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
      only = argv[++i];
    } else if (!strcmp(argv[i], "--count")) {
      count = 1;
    } else {
      fprintf(stderr, "usage: %s [--seconds S] [--only CASE] [--count]\n", argv[0]);
      return 2;
    }
  }
#pragma omp parallel
  bench_keep();
  for (int i = 0; i < number; ++i) {
    if (only && strcmp(only, cases[i].name) != 0) continue;
    if (count) {
      bench_count(&cases[i]);
    } else {
      bench_measure(&cases[i], seconds);
    }
  }
  return 0;
}

#endif
