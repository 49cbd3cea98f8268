// SPDX-License-Identifier: BSD-3-Clause
// A program adds in an unnamed critical region, and so does its library (IN_LIBRARY), which has no region and no lock:
// all that it needs of libgomp is of its first version.
#ifdef IN_LIBRARY
#include <omp.h>

void add_number(long* sum) {
  const int number = omp_get_thread_num();
#pragma omp critical
  *sum += number;
}
#else
#include <stdio.h>

void add_number(long* sum);

int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp critical
    ++sum;
    add_number(&sum);
  }
  printf("sum %ld\n", sum);
  return 0;
}
#endif
