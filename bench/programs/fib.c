/* SPDX-License-Identifier: BSD-3-Clause
 * Fibonacci numbers, two tasks per call and no cut-off: as many tasks for as little work as can be. */
#include "kernel.h"

static long fib(long n) {
  long x, y;
  if (n < 2) return n;
#pragma omp task shared(x)
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

int main(int argc, char** argv) {
  const long n = kernel_argument(argc, argv, 1, 25);
  long result = 0, a = 0, b = 1;
  for (long i = 0; i < n; ++i) {
    const long next = a + b;
    a = b;
    b = next;
  }
  const double begin = kernel_now();
#pragma omp parallel
#pragma omp single
  result = fib(n);
  return kernel_done(begin, result == a);
}
