// SPDX-License-Identifier: BSD-3-Clause
// A chain of eight tasks that depend on each other, 50 ms each, and four that do not, 100 ms each; prints in
// ns how long those of the chain and the others took by their own clock.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long long work(long ms) {
  struct timespec begin, end;
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  nanosleep(&time, NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec) * 1000000000LL + end.tv_nsec - begin.tv_nsec;
}

int main(void) {
  long long chain = 0, others[4] = {0};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : chain)
      chain += work(50);
    }
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      others[i] = work(100);
    }
  }
  printf("%lld %lld\n", chain, others[0] + others[1] + others[2] + others[3]);
  return 0;
}
