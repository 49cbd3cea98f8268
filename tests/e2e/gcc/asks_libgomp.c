// SPDX-License-Identifier: BSD-3-Clause
// A static loop whose share of iterations comes from libgomp itself, as code of GCC 17 asks for it.
#include <stdio.h>
void GOMP_loop_static_worksharing_like(int*, int*);
int main(void) {
  long sum = 0, members = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum, members)
  {
    ++members;
    int n, c;
    GOMP_loop_static_worksharing_like(&n, &c);
    for (long i = n; i < 1000; i += c) sum += i;
  }
  printf("sum %ld\nkept regions 1 members %ld tasks 0\n", sum, members);
  return sum != 499500;
}
