// SPDX-License-Identifier: BSD-3-Clause
// Memory of all kinds (pools, managed, pinned), copies within the device, a cooperative launch, events, a function of
// the host in a stream, a graph with copies in it, and a device that is reset and used again. Prints what it asked for.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void need(cudaError_t result, const char* what) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(result));
  std::exit(1);
}

__global__ void increment(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}
__global__ void together(int* data) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) atomicAdd(data, 1);
}

int main() {
  constexpr int n = 1 << 16, pools = 20, nodes = 5, launches = 30, blocks = 8;
  int *data, *managed, *pooled, result[2], called = 0, threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads += 1;
  cudaStream_t stream;
  need(cudaStreamCreate(&stream), "cudaStreamCreate");
  for (int i = 0; i < pools; ++i) {
    need(cudaMallocAsync(&pooled, n * sizeof(int), stream), "cudaMallocAsync");
    need(cudaMemsetAsync(pooled, 0, n * sizeof(int), stream), "cudaMemsetAsync");
    increment<<<n / 256, 256, 0, stream>>>(pooled, n);
    need(cudaFreeAsync(pooled, stream), "cudaFreeAsync");
  }
  need(cudaMallocManaged(&managed, n * sizeof(int)), "cudaMallocManaged");
  std::memset(managed, 0, n * sizeof(int));
  increment<<<n / 256, 256>>>(managed, n);
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::printf("managed %d of %d threads\n", managed[7], threads);

  need(cudaMalloc(&data, n * sizeof(int)), "cudaMalloc");
  need(cudaMemset(data, 0, n * sizeof(int)), "cudaMemset");
  need(cudaMemcpy(managed, data, n * sizeof(int), cudaMemcpyDefault), "cudaMemcpy");
  need(cudaMemcpyPeer(data, 0, managed, 0, n * sizeof(int)), "cudaMemcpyPeer");
  void* arguments[] = {&data};
  need(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(together), dim3(blocks), dim3(64), arguments, 0, stream),
       "cudaLaunchCooperativeKernel");
  cudaEvent_t before, after;
  need(cudaEventCreate(&before), "cudaEventCreate");
  need(cudaEventCreate(&after), "cudaEventCreate");
  need(cudaEventRecord(before, stream), "cudaEventRecord");
  increment<<<n / 256, 256, 0, stream>>>(data, n);
  need(cudaEventRecord(after, stream), "cudaEventRecord");
  need(cudaEventSynchronize(after), "cudaEventSynchronize");
  need(cudaLaunchHostFunc(
           stream, [](void* count) { ++*static_cast<int*>(count); }, &called),
       "cudaLaunchHostFunc");

  cudaGraph_t graph;
  cudaGraphExec_t executable;
  need(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  for (int i = 0; i < nodes; ++i) increment<<<n / 256, 256, 0, stream>>>(data, n);
  need(cudaMemcpyAsync(data + n / 2, data, 1024, cudaMemcpyDeviceToDevice, stream), "cudaMemcpyAsync");
  need(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  need(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < launches; ++i) need(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  need(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  need(cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost), "cudaMemcpy");
  std::printf("data %d %d, called %d\n", result[0], result[1], called);

  need(cudaDeviceReset(), "cudaDeviceReset");
  need(cudaMalloc(&data, 64 * sizeof(int)), "cudaMalloc");
  increment<<<1, 64>>>(data, 64);
  need(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::printf("kernels %d\n", pools + 1 + 2 + nodes * launches + 1);
  return 0;
}
