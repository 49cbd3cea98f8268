// SPDX-License-Identifier: BSD-3-Clause
// A program with a library (IN_LIBRARY) whose function begins as OpenMP's do, and a weak reference that leads nowhere.
#ifdef IN_LIBRARY
int omp_next_of_library(int n) {
  return n + 1;
}
#else
#include <stdio.h>

int omp_next_of_library(int n);
__attribute__((weak)) void omp_that_nobody_has(void);

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += omp_next_of_library(1);
  printf("sum %d, %d\n", sum, omp_that_nobody_has != NULL);
  return 0;
}
#endif
