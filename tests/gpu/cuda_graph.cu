// SPDX-License-Identifier: BSD-3-Clause
// A CUDA graph of a copy in, many kernels and a copy out, launched many times: all operations of one launch have one
// correlation id.
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>

static const int n = 1 << 14, nodes = 20, launches = 30;

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void add_one(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += 1;
}

int main() {
  const size_t bytes = n * sizeof(int);
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  int *host, *device;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  need(cudaMallocHost(&host, bytes), "cudaMallocHost");
  need(cudaMalloc(&device, bytes), "cudaMalloc");
  need(cudaStreamCreate(&stream), "cudaStreamCreate");
  for (int i = 0; i < n; ++i) host[i] = 0;
  need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "capture");
  need(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream), "copy");
  for (int node = 0; node < nodes; ++node) add_one<<<n / 256, 256, 0, stream>>>(device);
  need(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream), "copy");
  need(cudaStreamEndCapture(stream, &graph), "capture");
  need(cudaGraphInstantiate(&instance, graph, 0), "cudaGraphInstantiate");
  for (int launch = 0; launch < launches; ++launch) need(cudaGraphLaunch(instance, stream), "cudaGraphLaunch");
  need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  std::printf("sum %d, threads %d\n", host[n - 1], threads);
  if (host[n - 1] != nodes * launches) return 1;
  std::printf("kernels %d\nbytes to device %zu\nbytes from device %zu\n", nodes * launches, launches * bytes,
              launches * bytes);
  return 0;
}
