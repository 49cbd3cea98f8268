// SPDX-License-Identifier: BSD-3-Clause
// Launches a kernel each millisecond until it is killed. After each tenth it prints how many have ended, and when:
// "ended COUNT SECONDS", by CLOCK_MONOTONIC. Usage: cuda_endless [SECONDS]     (ends by itself; default 60)
#include <cuda_runtime.h>
#include <omp.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

static double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

__global__ void add_one(int* data) {
  data[threadIdx.x] += 1;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 60;
  int *device, threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  std::printf("threads %d\n", threads);
  need(cudaMalloc(&device, 256 * sizeof(int)), "cudaMalloc");
  need(cudaMemset(device, 0, 256 * sizeof(int)), "cudaMemset");
  const double start = now();
  for (long count = 1; now() - start < seconds; ++count) {
    add_one<<<1, 256>>>(device);
    need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (count % 10 == 0) std::printf("ended %ld %.6f\n", count, now()), std::fflush(stdout);
    usleep(1000);
  }
  return 0;
}
