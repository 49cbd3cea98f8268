// SPDX-License-Identifier: BSD-3-Clause
// CUDA called from the threads of a parallel region: each has a stream, copies in, runs kernels, copies out.
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

static const int n = 1 << 16, threads = 4, rounds = 10;

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void saxpy(float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int main() {
  float sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    const size_t bytes = n * sizeof(float);
    float *x, *y, *dx, *dy;
    cudaStream_t stream;
    need(cudaMallocHost(&x, bytes), "cudaMallocHost");
    need(cudaMallocHost(&y, bytes), "cudaMallocHost");
    need(cudaMalloc(&dx, bytes), "cudaMalloc");
    need(cudaMalloc(&dy, bytes), "cudaMalloc");
    need(cudaStreamCreate(&stream), "cudaStreamCreate");
    for (int i = 0; i < n; ++i) x[i] = 1, y[i] = 2;
    need(cudaMemcpyAsync(dx, x, bytes, cudaMemcpyHostToDevice, stream), "copy");
    need(cudaMemcpyAsync(dy, y, bytes, cudaMemcpyHostToDevice, stream), "copy");
    for (int round = 0; round < rounds; ++round) saxpy<<<n / 256, 256, 0, stream>>>(2, dx, dy);
    need(cudaMemcpyAsync(y, dy, bytes, cudaMemcpyDeviceToHost, stream), "copy");
    need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    sum += y[n - 1];
    cudaFree(dx);
    cudaFree(dy);
  }
  std::printf("sum %g\n", sum);
  std::printf("kernels %d\nbytes to device %zu\nbytes from device %zu\n", threads * rounds,
              threads * 2 * n * sizeof(float), threads * n * sizeof(float));
  return 0;
}
