// SPDX-License-Identifier: BSD-3-Clause
// Recording is paused while a kernel runs, and resumed: what was launched while it was on is recorded, also the kernel
// that ends within the pause; what was launched in the pause is not.
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

// GCC's omp.h, which nvcc sees, does not declare it (OpenMP 5.0, 2.15).
extern "C" int omp_control_tool(int command, int modifier, void* argument);
enum { control_start = 1, control_pause = 2 };

static const int before = 5, paused = 7, after = 9, n = 256;

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

/// Runs for `cycles` of the device's clock.
__global__ void spin(int* data, long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) data[threadIdx.x] += 0;
  data[threadIdx.x] += 1;
}

int main() {
  const size_t bytes = n * sizeof(int);
  int host[n] = {0}, *device, threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  need(cudaMalloc(&device, bytes), "cudaMalloc");
  need(cudaMemset(device, 0, bytes), "cudaMemset");
  for (int i = 0; i < before; ++i) add_one<<<1, n>>>(device);
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  spin<<<1, n>>>(device, 400'000'000LL);  // about a quarter of a second
  omp_control_tool(control_pause, 0, nullptr);
  for (int i = 0; i < paused; ++i) add_one<<<1, n>>>(device);
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  omp_control_tool(control_start, 0, nullptr);
  for (int i = 0; i < after; ++i) add_one<<<1, n>>>(device);
  need(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy");
  std::printf("sum %d, threads %d\n", host[n - 1], threads);
  if (host[n - 1] != before + 1 + paused + after) return 1;
  std::printf("kernels %d\nbytes to device 0\nbytes from device %zu\n", before + 1 + after, bytes);
  return 0;
}
