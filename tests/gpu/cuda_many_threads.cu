// SPDX-License-Identifier: BSD-3-Clause
// CUDA from 300 threads: CUPTI 13 asks for a buffer for each.
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

static const int threads = 300, rounds = 20, n = 256;

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

int main() {
  const size_t bytes = n * sizeof(int);
  long sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    int host[n] = {0}, *device;
    need(cudaMalloc(&device, bytes), "cudaMalloc");
    need(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, cudaStreamPerThread), "copy");
    for (int round = 0; round < rounds; ++round) add_one<<<1, n, 0, cudaStreamPerThread>>>(device);
    need(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread), "copy");
    need(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
    sum += host[n - 1];
    cudaFree(device);
  }
  std::printf("sum %ld\n", sum);
  if (sum != static_cast<long>(threads) * rounds) return 1;
  std::printf("kernels %d\nbytes to device %zu\nbytes from device %zu\ncopying threads %d\n", threads * rounds,
              threads * bytes, threads * bytes, threads);
  return 0;
}
