// SPDX-License-Identifier: BSD-3-Clause
// Four threads, the same number of events in every run, some milliseconds of work, output, and an exit status of its
// own.
#include <omp.h>
#include <stdio.h>

int main(void) {
  double sum = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(4) reduction(+ : sum)
    {
      volatile double x = 1;
      for (int i = 0; i < 3000000; ++i) x = x * 0.5 + 1;
      sum += x;
#pragma omp barrier
#pragma omp critical
      x = 0;
    }
  }
  printf("sum %.3f\n", sum);
  fprintf(stderr, "the program's own line\n");
  return 7;
}
