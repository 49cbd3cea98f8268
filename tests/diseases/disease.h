// SPDX-License-Identifier: BSD-3-Clause
// What programs of known disease have in common: a clock, work of sleeps or of computing, and how they state the
// finding, the thread-seconds lost and the line by their own clock, so that a loaded machine makes no wrong truth.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 4 };
static const double unit = 0.04;  // seconds

static inline double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline double now(void) {
  return seconds_of(CLOCK_MONOTONIC);
}

/// Work that needs no processor.
static inline void rest(double seconds) {
  const struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&t, NULL);
}

/// Some of the program's own work that the compiler keeps.
static inline double compute(long steps) {
  volatile double x = 1;
  for (long i = 0; i < steps; ++i) x = x * 1.0000001 + 1e-9;
  return x;
}

/// Work of the thread's own processor time.
static inline void burn(double seconds) {
  const double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds;
  while (seconds_of(CLOCK_THREAD_CPUTIME_ID) < end) compute(2000);
}

/// `finding`: its id, or "a|b" where both are right; "none": nothing may be found. line 0: it has none.
static inline void say(const char* finding, double lost, int line) {
  printf("%s %.6f %d\n", finding, lost, line);
  fflush(stdout);
}

static double arrival[64];
#define ARRIVED (arrival[omp_get_thread_num()] = now())

/// What the others waited for the last one.
static inline double waited(const double* times, int threads) {
  double last = 0, sum = 0;
  for (int i = 0; i < threads; ++i) last = times[i] > last ? times[i] : last;
  for (int i = 0; i < threads; ++i) sum += last - times[i];
  return sum;
}

struct disease {
  const char* name;
  void (*run)(void);
};

/// `program NAME` has that disease; without a name it prints all that it has.
static inline int run_disease(const struct disease* diseases, size_t count, int argc, char** argv) {
  for (size_t i = 0; i < count; ++i) {
    if (argc < 2) {
      puts(diseases[i].name);
    } else if (strcmp(argv[1], diseases[i].name) == 0) {
      diseases[i].run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
