// SPDX-License-Identifier: BSD-3-Clause
// All devices in turn by one thread that waits for none: target tasks, ordered by dependences on each device.
#include <omp.h>
#include <stdio.h>

enum { most = 8, size = 4096, steps = 12 };

int main(void) {
  static int a[most][size];
  const int devices = omp_get_num_devices() < most ? omp_get_num_devices() : most;
  if (devices == 0) return 1;
  for (int d = 0; d < devices; ++d) {
#pragma omp target enter data map(to : a[d] [0:size]) device(d) nowait depend(out : a[d][0])
  }
  for (int step = 0; step < steps; ++step)
    for (int d = 0; d < devices; ++d) {
#pragma omp target teams distribute parallel for device(d) nowait depend(inout : a[d][0]) map(alloc : a[d] [0:size])
      for (int i = 0; i < size; ++i) a[d][i] += d + 1;
    }
  for (int d = 0; d < devices; ++d) {
#pragma omp target exit data map(from : a[d] [0:size]) device(d) nowait depend(inout : a[d][0])
  }
#pragma omp taskwait
  const int kernels = devices * steps, last = a[devices - 1][5];
  const size_t bytes = (size_t)devices * sizeof a[0];
  printf("%s\n", last == devices * steps ? "right" : "wrong");
  printf("count target submit %d\ncount target kernel %d\n", kernels, kernels);
  printf("bytes to device %zu\nbytes from device %zu\n", bytes, bytes);
  return last == devices * steps ? 0 : 1;
}
