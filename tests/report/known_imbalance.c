// SPDX-License-Identifier: BSD-3-Clause
// One thread of four works three times as long as the others; prints in ns what each did by its own clock.
#include <omp.h>
#include <stdio.h>
#include <time.h>

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(void) {
  long long worked[4] = {0};
#pragma omp parallel for schedule(static) num_threads(4)
  for (int i = 0; i < 4; ++i) {
    const long long begin = now();
    const struct timespec time = {0, i == 3 ? 600000000 : 200000000};
    nanosleep(&time, NULL);
    worked[i] = now() - begin;
  }
  printf("%lld %lld %lld %lld\n", worked[0], worked[1], worked[2], worked[3]);
  return 0;
}
