// SPDX-License-Identifier: BSD-3-Clause
// Tasks of a team update parts of an array that is on the device.
#include <stdio.h>

enum { parts = 16, size = 256 };

int main(void) {
  static int data[parts][size];
#pragma omp target data map(tofrom : data)
  {
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int part = 0; part < parts; ++part) {
#pragma omp task firstprivate(part)
      {
        for (int i = 0; i < size; ++i) data[part][i] = part;
#pragma omp target update to(data [part:1])
#pragma omp target update from(data [part:1])
      }
    }
  }
  printf("%d %d\n", data[3][3], data[parts - 1][0]);
  printf("count target update %d\n", 2 * parts);
  printf("count target data to device %d\ncount target data from device %d\n", parts + 1, parts + 1);
  printf("bytes to device %zu\nbytes from device %zu\n", 2 * sizeof data, 2 * sizeof data);
  return 0;
}
