// SPDX-License-Identifier: BSD-3-Clause
// Forks before CUDA is used, as Python's process pools do, and again afterwards: the children never touch CUDA, the
// parent does.
#include <cuda_runtime.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static const int rounds = 10, n = 256;

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

static void child(bool by_exit) {
  const pid_t pid = fork();
  if (pid == 0) {
    if (by_exit) std::exit(0);
    _exit(0);
  }
  int status = 1;
  waitpid(pid, &status, 0);
  if (status != 0) {
    std::fprintf(stderr, "a child ended with %d\n", status);
    std::exit(1);
  }
}

int main() {
  const size_t bytes = n * sizeof(int);
  int host[n] = {0}, *device, threads = 0;
  child(false);
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  need(cudaMalloc(&device, bytes), "cudaMalloc");
  need(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice), "copy");
  for (int i = 0; i < rounds; ++i) add_one<<<1, n>>>(device);
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  child(false);
  for (int i = 0; i < rounds; ++i) add_one<<<1, n>>>(device);
  need(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost), "copy");
  std::printf("sum %d, threads %d\n", host[n - 1], threads);
  if (host[n - 1] != 2 * rounds) return 1;
  std::printf("kernels %d\nbytes to device %zu\nbytes from device %zu\n", 2 * rounds, bytes, bytes);
  return 0;
}
