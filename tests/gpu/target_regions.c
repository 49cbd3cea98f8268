// SPDX-License-Identifier: BSD-3-Clause
// Target regions, updates and copies on a GPU; prints what it asked for.
#include <omp.h>
#include <stdio.h>

enum { size = 1 << 16, rounds = 50 };

int main(void) {
  static double data[size];
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  if (on_host) return fprintf(stderr, "no device took the region\n"), 1;
#pragma omp target data map(tofrom : data)
  for (int round = 0; round < rounds; ++round) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < size; ++i) data[i] += i;
    if (round % 10 == 0) {
#pragma omp target update from(data)
    }
  }
  printf("%g\n", data[10]);
  printf("kernels %d\nlinked %d\n", rounds + 1, rounds + 1);
  printf("bytes to device %zu\nbytes from device %zu\n", sizeof data, sizeof data * (1 + rounds / 10) + sizeof on_host);
  return 0;
}
