// SPDX-License-Identifier: BSD-3-Clause
// Kernels and updates as target tasks, ordered by dependences.
#include <stdio.h>

enum { size = 500, rounds = 10 };

int main(void) {
  static double a[size], b[size];
  double *pa = a, *pb = b;
#pragma omp target enter data map(to : pa [0:size], pb [0:size])
  for (int round = 0; round < rounds; ++round) {
#pragma omp target nowait depend(out : a) map(tofrom : pa [0:size])
    for (int i = 0; i < size; ++i) pa[i] += 1;
#pragma omp target nowait depend(out : b) map(tofrom : pb [0:size])
    for (int i = 0; i < size; ++i) pb[i] += 2;
#pragma omp target nowait depend(in : a) depend(inout : b) map(tofrom : pa [0:size], pb [0:size])
    for (int i = 0; i < size; ++i) pb[i] += pa[i];
#pragma omp target update from(pb [0:size]) depend(in : b) nowait
  }
#pragma omp taskwait
#pragma omp target exit data map(from : pa [0:size], pb [0:size])
  printf("%g %g\n", a[3], b[3]);
  printf("count target %d\ncount target submit %d\ncount target kernel %d\ncount target update %d\n", 3 * rounds,
         3 * rounds, 3 * rounds, rounds);
  printf("count target data to device 2\ncount target data from device %d\n", rounds + 2);
  printf("bytes to device %zu\nbytes from device %zu\n", 2 * sizeof a, (rounds + 2) * sizeof a);
  return 0;
}
