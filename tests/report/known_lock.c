// SPDX-License-Identifier: BSD-3-Clause
// A critical region of 200 ms that two threads want at once: the second waits as long as the first holds it.
// Prints in ns how long each held it and the longer wait, by their own clock.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void) {
  long long held[2] = {0}, waited[2] = {0};
#pragma omp parallel num_threads(2)
  {
    const int thread = omp_get_thread_num();
#pragma omp barrier
    const long long wanted = now();
#pragma omp critical
    {
      const struct timespec time = {0, 200000000};
      const long long begin = now();
      nanosleep(&time, NULL);
      held[thread] = now() - begin;
      waited[thread] = begin - wanted;
    }
  }
  printf("%lld %lld\n", held[0] + held[1], waited[0] + waited[1]);
  return 0;
}
