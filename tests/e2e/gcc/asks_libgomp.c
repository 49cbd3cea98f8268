// SPDX-License-Identifier: BSD-3-Clause
// A static loop whose share of iterations comes from libgomp itself, as code of GCC 17 asks for it.
#include <stdio.h>
void GOMP_loop_static_worksharing_like(int*, int*);
int main(void) {
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    int n, c;
    GOMP_loop_static_worksharing_like(&n, &c);
    for (long i = n; i < 1000; i += c) sum += i;
  }
  printf("sum %ld\n", sum);
  return sum != 499500;
}
