// SPDX-License-Identifier: BSD-3-Clause
// OpenACC beside OpenMP: both are libgomp's, and libomp has OpenMP alone.
#include <stdio.h>

int main(void) {
  int numbers[100];
  long sum = 0;
#pragma acc parallel loop copyout(numbers)
  for (int i = 0; i < 100; ++i) numbers[i] = i;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 8)
  for (int i = 0; i < 100; ++i) sum += numbers[i];
  printf("%ld\n", sum);
  return 0;
}
