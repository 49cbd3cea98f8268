// SPDX-License-Identifier: BSD-3-Clause
// Two threads offload at once, each to its own device and both to the first one.
#include <omp.h>
#include <stdio.h>

enum { size = 1000, rounds = 20 };

static void work(int device, double* data) {
#pragma omp target teams distribute parallel for map(tofrom : data [0:size]) device(device)
  for (int i = 0; i < size; ++i) data[i] += i;
}

int main(void) {
  static double data[2][size];
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    for (int round = 0; round < rounds; ++round) {
      work(0, data[me]);
      work(me % omp_get_num_devices(), data[me]);
    }
  }
  const int n = 2 * 2 * rounds;
  printf("%g %g\n", data[0][10], data[1][20]);
  printf("count target %d\ncount target submit %d\ncount target kernel %d\n", n, n, n);
  printf("count target data to device %d\ncount target data from device %d\n", n, n);
  printf("count target data alloc %d\ncount target data delete %d\n", n, n);
  printf("bytes to device %zu\nbytes from device %zu\n", n * sizeof data[0], n * sizeof data[0]);
  return 0;
}
