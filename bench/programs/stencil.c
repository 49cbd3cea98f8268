/* SPDX-License-Identifier: BSD-3-Clause
 * A Jacobi iteration on a grid, with a worksharing loop, a reduction and two barriers per sweep. */
#include <math.h>

#include "kernel.h"

int main(int argc, char** argv) {
  const long n = kernel_argument(argc, argv, 1, 128);
  const long sweeps = kernel_argument(argc, argv, 2, 20000);
  double* old = calloc((size_t)((n + 2) * (n + 2)), sizeof *old);
  double* new = calloc((size_t)((n + 2) * (n + 2)), sizeof *new);
  if (!old || !new) return 2;
  for (long i = 0; i < n + 2; ++i) old[i] = new[i] = 1.0;
  double change = 0, last = 0;
  const double begin = kernel_now();
#pragma omp parallel
  for (long sweep = 0; sweep < sweeps; ++sweep) {
#pragma omp for schedule(static) reduction(+ : change)
    for (long i = 1; i <= n; ++i) {
      for (long j = 1; j <= n; ++j) {
        const long k = i * (n + 2) + j;
        new[k] = 0.25 * (old[k - 1] + old[k + 1] + old[k - n - 2] + old[k + n + 2]);
        change += fabs(new[k] - old[k]);
      }
    }
#pragma omp single
    {
      double* swap = old;
      old = new;
      new = swap;
      last = change;
      change = 0;
    }
  }
  const int status = kernel_done(begin, last >= 0 && last < 1e6);
  free(old);
  free(new);
  return status;
}
