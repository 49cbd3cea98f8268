// SPDX-License-Identifier: BSD-3-Clause
// 2,000 tasks, each dependent on the one before.
#include <omp.h>
#include <stdio.h>

int main(void) {
  long n = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 2000; ++i) {
#pragma omp task shared(n) depend(inout : n)
    n++;
  }
  printf("n %ld\n", n);
  return 0;
}
