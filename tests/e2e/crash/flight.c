// SPDX-License-Identifier: BSD-3-Clause
// Many events for a flight recorder: N critical sections by one thread, then a phase that only the newest records show.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const long sections = argc > 1 ? atol(argv[1]) : 1000000;
  volatile long sum = 0;
#pragma omp parallel num_threads(2)
  {
    for (long i = 0; i < sections; ++i) {
#pragma omp critical(early)
      sum = sum + 1;
    }
#pragma omp barrier
    for (long i = 0; i < 1000; ++i) {
#pragma omp critical(newest)
      sum = sum + 1;
    }
  }
  printf("sum %ld\n", sum);
  return 0;
}
