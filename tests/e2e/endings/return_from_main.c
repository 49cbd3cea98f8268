// SPDX-License-Identifier: BSD-3-Clause
// Returns 3 from main after two regions.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int threads = 0;
  for (int i = 0; i < 2; ++i) {
#pragma omp parallel reduction(+ : threads)
    threads += 1;
  }
  printf("count fork 2\ncount parallel %d\n", threads);
  return 3;
}
