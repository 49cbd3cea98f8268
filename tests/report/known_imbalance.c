// SPDX-License-Identifier: BSD-3-Clause
// One thread of four works three times as long as the others. Work is waiting for the clock, so that
// the times are right on a loaded machine too.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static void work(double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += (long)(seconds * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
  }
}

int main(void) {
  int done = 0;
#pragma omp parallel num_threads(4) reduction(+ : done)
  {
#pragma omp for schedule(static)
    for (int i = 0; i < 4; ++i) {
      work(i == 3 ? 0.6 : 0.2);
      ++done;
    }
  }
  printf("%d\n", done);
  return 0;
}
