// SPDX-License-Identifier: BSD-3-Clause
// CUDA's driver without its header: what each thread of a program asks of it, and what the program prints of that.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

inline constexpr int threads = 4, rounds = 10;
inline constexpr std::size_t bytes = 1 << 16;

/// Machine code is made of it when it is loaded.
inline constexpr const char* program = R"(.version 6.3
.target sm_75
.address_size 64
.visible .entry add_one(.param .u64 data)
{
  .reg .u32 %r<3>; .reg .u64 %d<4>;
  ld.param.u64 %d1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %d2, %r1, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.u32 %r2, [%d3];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%d3], %r2;
  ret;
}
)";

inline void* driver = nullptr;

template <typename... Arguments>
void cuda(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(driver, name));
  const int result = function ? function(arguments...) : -1;
  if (result == 0) return;
  std::fprintf(stderr, "%s: error %d\n", name, result);
  std::exit(3);
}

struct Loaded {
  void *context = nullptr, *kernel = nullptr;
};

/// Of the driver that is open; the calling thread has the context.
inline Loaded load() {
  Loaded loaded;
  void* module = nullptr;
  cuda("cuInit", 0u);
  cuda("cuDevicePrimaryCtxRetain", &loaded.context, 0);
  cuda("cuCtxSetCurrent", loaded.context);
  cuda("cuModuleLoadDataEx", &module, static_cast<const void*>(program), 0u, static_cast<int*>(nullptr),
       static_cast<void**>(nullptr));
  cuda("cuModuleGetFunction", &loaded.kernel, module, "add_one");
  return loaded;
}

inline void work(const Loaded& loaded) {
  std::vector<char> data(bytes);
  void* stream = nullptr;
  unsigned long long memory = 0;
  cuda("cuCtxSetCurrent", loaded.context);
  cuda("cuStreamCreate", &stream, 1u);
  cuda("cuMemAlloc_v2", &memory, bytes);
  cuda("cuMemcpyHtoDAsync_v2", memory, static_cast<const void*>(data.data()), bytes, stream);
  void* parameters[] = {&memory};
  for (int round = 0; round < rounds; ++round)
    cuda("cuLaunchKernel", loaded.kernel, 1u, 1u, 1u, 32u, 1u, 1u, 0u, stream, static_cast<void**>(parameters),
         static_cast<void**>(nullptr));
  cuda("cuMemcpyDtoHAsync_v2", static_cast<void*>(data.data()), memory, bytes, stream);
  cuda("cuStreamSynchronize", stream);
  cuda("cuMemFree_v2", memory);
}

/// Of `threads` threads that have worked, each as many times.
inline void print_counts(unsigned times = 1) {
  std::printf("kernels %u\nbytes to device %zu\nbytes from device %zu\ncopying threads %d\n", threads * rounds * times,
              threads * bytes * times, threads * bytes * times, threads);
}
