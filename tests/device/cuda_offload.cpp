// SPDX-License-Identifier: BSD-3-Clause
// A program with an OpenMP runtime of its own whose devices are CUDA's, driven as LLVM's plugin does: threads offload.
// The driver is whatever libcuda.so.1 is found, thus the fake one. Usage: cuda_offload [STEPS [THREADS [MS]]]
//   MS: of sleep after each step.
//   CUDA_FORKS=1: it forks before it uses CUDA, and after; cuInit: the children start the driver.
//   CUDA_PROFILER=FILE: the profiler that it brings along, begun when CUDA is in use.
//   CUDA_PROFILER_IDLE=FILE: one that it loads when CUDA is in use, and never begins.
//   CUDA_GRAPH=N: a kernel is a graph of N of them.
//   CUDA_MEMORY=1: each step takes 1 MiB of a memory pool, and 256 KiB of managed memory go to the device and back.
//   CUDA_UNANNOUNCED=1: the runtime announces the first device only.
//   CUDA_INIT_ASIDE=1: another thread has called cuInit, and may be in it, when the runtime starts the tool.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <cuda.h>

#include "device/offload_runtime.hpp"

namespace {

using namespace tracer::test;

void* driver = nullptr;

/// A function of the driver; ends the program where it fails.
template <typename... Arguments>
void cuda(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(driver, name));
  const int result = function ? static_cast<int>(function(arguments...)) : -1;
  if (result == 0) return;
  std::printf("%s failed: %d\n", name, result);
  std::exit(3);
}

struct Device {
  int number;
  CUcontext context;
  CUfunction kernel;
  CUgraphExec graph = nullptr;
};

struct Thread {
  Device device;
  CUstream stream = nullptr;
  CUdeviceptr managed = 0;
  char host[512] = {};
  ompt_data_t data{}, task{}, parallel{};

  template <typename Work>
  void data_op(ompt_data_t* target, ompt_target_data_op_t optype, CUdeviceptr* address, std::size_t bytes, Work work) {
    const bool from = optype == ompt_target_data_transfer_from_device || optype == ompt_target_data_delete;
    ompt_id_t id = 0;
    const auto tell = [&](ompt_scope_endpoint_t endpoint) {
      auto* there = reinterpret_cast<void*>(*address);
      call<ompt_callback_target_data_op_emi_t>(ompt_callback_target_data_op_emi, endpoint, nullptr, target, &id, optype,
                                               from ? there : host, from ? device.number : -1, from ? host : there,
                                               from ? -1 : device.number, bytes, here());
    };
    tell(ompt_scope_begin);
    work();
    tell(ompt_scope_end);
  }

  void target_region() {
    ompt_data_t target{};
    CUdeviceptr address = 0;
    const auto tell = [&](ompt_scope_endpoint_t endpoint) {
      call<ompt_callback_target_emi_t>(ompt_callback_target_emi, ompt_target, endpoint, device.number, &task, nullptr,
                                       &target, here());
    };
    tell(ompt_scope_begin);
    data_op(&target, ompt_target_data_alloc, &address, 256, [&] { cuda("cuMemAlloc_v2", &address, std::size_t{256}); });
    data_op(&target, ompt_target_data_transfer_to_device, &address, 256,
            [&] { cuda("cuMemcpyHtoDAsync_v2", address, static_cast<const void*>(host), std::size_t{256}, stream); });
    ompt_id_t id = 0;
    call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, ompt_scope_begin, &target, &id, 4u);
    if (device.graph != nullptr)
      cuda("cuGraphLaunch", device.graph, stream);
    else
      cuda("cuLaunchKernel", device.kernel, 4u, 1u, 1u, 32u, 1u, 1u, 0u, stream, static_cast<void**>(nullptr),
           static_cast<void**>(nullptr));
    call<ompt_callback_target_submit_emi_t>(ompt_callback_target_submit_emi, ompt_scope_end, &target, &id, 4u);
    data_op(&target, ompt_target_data_transfer_from_device, &address, 128,
            [&] { cuda("cuMemcpyDtoHAsync_v2", static_cast<void*>(host), address, std::size_t{128}, stream); });
    cuda("cuStreamSynchronize", stream);
    data_op(&target, ompt_target_data_delete, &address, 0, [&] { cuda("cuMemFree_v2", address); });
    tell(ompt_scope_end);
  }

  void use_memory() {
    CUdeviceptr pooled = 0;
    cuda("cuMemAllocAsync", &pooled, std::size_t{1} << 20, stream);
    cuda("fake_cuda_touches", managed, 1);
    cuda("fake_cuda_touches", managed, 0);
    cuda("cuMemFreeAsync", pooled, stream);
  }

  void run(unsigned steps, unsigned sleep_ms) {
    call<ompt_callback_thread_begin_t>(ompt_callback_thread_begin, ompt_thread_initial, &data);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_begin, &parallel, &task, 1u, 1u,
                                        static_cast<int>(ompt_task_initial));
    cuda("cuCtxSetCurrent", device.context);
    cuda("cuStreamCreate", &stream, 1u);
    const bool uses_memory = std::getenv("CUDA_MEMORY") != nullptr;
    if (uses_memory) cuda("cuMemAllocManaged", &managed, std::size_t{256} << 10, 1u);
    for (unsigned i = 0; i < steps; ++i) {
      if (uses_memory) use_memory();
      target_region();
      if (sleep_ms) std::this_thread::sleep_for(std::chrono::milliseconds(sleep_ms));
    }
    if (uses_memory) cuda("cuMemFree_v2", managed);
    call<ompt_callback_implicit_task_t>(ompt_callback_implicit_task, ompt_scope_end, nullptr, &task, 0u, 1u,
                                        static_cast<int>(ompt_task_initial));
    call<ompt_callback_thread_end_t>(ompt_callback_thread_end, &data);
  }
};

/// As libomptarget: the context is made and current when the device is announced.
Device open_device(int number) {
  Device device{number, nullptr, nullptr, nullptr};
  cuda("cuDevicePrimaryCtxRetain", &device.context, number);
  cuda("cuCtxSetCurrent", device.context);
  if (number == 0 || !std::getenv("CUDA_UNANNOUNCED"))
    call<ompt_callback_device_initialize_t>(ompt_callback_device_initialize, number, "sm_90", nullptr, nullptr,
                                            nullptr);
  CUmodule module = nullptr;
  cuda("cuModuleLoadDataEx", &module, static_cast<const void*>("no image"), 0u, static_cast<CUjit_option*>(nullptr),
       static_cast<void**>(nullptr));
  cuda("cuModuleGetFunction", &device.kernel, module, "__omp_offloading_1_2_main_l3");
  if (const char* nodes = std::getenv("CUDA_GRAPH"))
    cuda("fake_cuda_graph", &device.graph, device.kernel, static_cast<unsigned>(std::atoi(nodes)));
  return device;
}

/// A thread that has come to cuInit of the fake driver.
std::thread init_aside_if_wanted() {
  if (!std::getenv("CUDA_INIT_ASIDE")) return {};
  const auto callers = reinterpret_cast<int (*)()>(dlsym(driver, "fake_cuda_init_callers"));
  std::thread other([] { cuda("cuInit", 0u); });
  while (callers && callers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return other;
}

/// A child that does nothing, as system() or a Python module makes it, or that wants to use CUDA.
void fork_if_wanted() {
  const char* forks = std::getenv("CUDA_FORKS");
  if (!forks) return;
  const pid_t child = fork();
  if (child == 0) {
    if (std::string(forks) == "cuInit") cuda("cuInit", 0u);
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, unsigned otherwise) {
    return argc > i ? static_cast<unsigned>(std::atoi(argv[i])) : otherwise;
  };
  const unsigned steps = argument(1, 100), threads = argument(2, 2), sleep_ms = argument(3, 0);
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return std::printf("no libcuda.so.1\n"), 2;
  const char* profiler_file = std::getenv("CUDA_PROFILER");
  void* profiler = profiler_file ? dlopen(profiler_file, RTLD_NOW) : nullptr;
  if (profiler_file && !profiler) return std::printf("%s\n", dlerror()), 2;
  std::thread aside = init_aside_if_wanted();
  auto* tool = start_tool();
  if (aside.joinable()) aside.join();
  fork_if_wanted();
  cuda("cuInit", 0u);
  int count = 0;
  cuda("cuDeviceGetCount", &count);
  std::vector<Device> devices;
  for (unsigned i = 0; i < threads && i < static_cast<unsigned>(count); ++i)
    devices.push_back(open_device(static_cast<int>(i)));
  fork_if_wanted();
  const char* idle_profiler = std::getenv("CUDA_PROFILER_IDLE");
  if (idle_profiler && !dlopen(idle_profiler, RTLD_NOW)) return std::printf("%s\n", dlerror()), 2;
  if (profiler)
    std::printf("own profiler begins: %d\n", reinterpret_cast<int (*)()>(dlsym(profiler, "own_profiler_begins"))());
  std::vector<Thread> all;
  for (unsigned i = 0; i < threads; ++i) all.push_back({devices[i % devices.size()]});
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) others.emplace_back([&, i] { all[i].run(steps, sleep_ms); });
  all[0].run(steps, sleep_ms);
  for (auto& other : others) other.join();
  if (profiler)
    std::printf("own profiler: kernels seen %u\n",
                reinterpret_cast<unsigned (*)()>(dlsym(profiler, "own_profiler_ends"))());
  for (const auto& device : devices)
    call<ompt_callback_device_finalize_t>(ompt_callback_device_finalize, device.number);
  if (tool) tool->finalize(&tool->tool_data);
  const unsigned n = threads * steps;
  std::printf("steps %u\n", steps);
  std::printf("kernels %u\nbytes to device %u\nbytes from device %u\n", n, 256 * n, 128 * n);
  return 0;
}
