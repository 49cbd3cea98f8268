// SPDX-License-Identifier: BSD-3-Clause
// Target regions, updates and copies on a GPU; prints what it asked for.
#include <omp.h>
#include <stdio.h>

enum { size = 1 << 16, rounds = 50 };

int main(void) {
  static double data[size];
  if (omp_get_num_devices() == 0) return fprintf(stderr, "no device\n"), 1;
#pragma omp target data map(tofrom : data)
  for (int round = 0; round < rounds; ++round) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < size; ++i) data[i] += i;
    if (round % 10 == 0) {
#pragma omp target update from(data)
    }
  }
  printf("%g\n", data[10]);
  printf("kernels %d\n", rounds);
  printf("bytes to device %zu\nbytes from device %zu\n", sizeof data, sizeof data * (1 + rounds / 10));
  return 0;
}
