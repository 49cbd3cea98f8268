// SPDX-License-Identifier: BSD-3-Clause
// Has device code, and never calls CUDA: no device is in the trace, and nothing is waited for.
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

int main(int argc, char**) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  if (argc > 1000) add_one<<<1, 1>>>(nullptr);
  std::printf("threads %d\nkernels 0\nbytes to device 0\nbytes from device 0\n", threads);
  return 0;
}
