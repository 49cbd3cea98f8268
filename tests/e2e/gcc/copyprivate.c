// SPDX-License-Identifier: BSD-3-Clause
// `single copyprivate` whose executor waits until another thread has run its task: that thread does so in the barrier
// in which it waits for the value.
#include <omp.h>
#include <stdio.h>

static volatile int is_run;

int main(void) {
  int bad = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(2) reduction(+ : bad)
    {
      int value = 0;
#pragma omp single copyprivate(value)
      {
        is_run = 0;
#pragma omp task
        is_run = 1;
        while (!is_run) continue;
        value = round + 1;
      }
      bad += value != round + 1;
    }
  }
  printf("%d\n", bad);
  return bad;
}
