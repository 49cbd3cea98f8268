// SPDX-License-Identifier: BSD-3-Clause
// What the fake driver (libcuda.so.1) tells the fake profiling library (libcupti.so.13) of its work.
//
// Both are found by dlopen, as the real ones are. Settings, of the environment:
//   FAKE_CUDA_DEVICES=n      devices (default 1); 0: cuInit answers that there is none
//   FAKE_CUDA_FAILS=n        cuInit answers error n
//   FAKE_CUPTI_FAILS=NAME:CODE[:AFTER]   that function answers CODE, from its call AFTER on (default: the first)
//   FAKE_CUPTI_VERSION=n     cuptiGetVersion
//   FAKE_CUPTI_BUSY=1        somebody else has subscribed
//   FAKE_CUPTI_KEEPS=1       buffers are never given back, except by a forced flush
//   FAKE_CUPTI_LATE=n        full buffers are given back n ms after they left the list
//   FAKE_CUPTI_SILENT=1      nor by that
//   FAKE_CUPTI_NEWER=1       records are longer than those of the header
//   FAKE_CUPTI_LATE_CALLS=1  the driver's calls come in a buffer of their own, at the end
//   FAKE_CUPTI_MUTE=n        records of kind n never come, though it can be enabled (MIG, confidential computing)
//   FAKE_CUPTI_STOLEN=n      after n operations another profiler's buffers are used
//   FAKE_CUPTI_INITS=1       subscribing starts the driver
//   FAKE_CUPTI_TOO_NEW=13    libcupti.so.13 takes no subscriber; libcupti.so.12 does
//   FAKE_CUPTI_GRAPH_TIMES=n after n kernels of graphs their records have no times
//   FAKE_CUDA_INIT_AWAITS=1  cuInit calls the tool when another thread is waiting for cuInit
//   FAKE_CUDA_MODULE_MS=n    loading a module takes n ms
//   CUDA_INJECTION64_PATH    as the real driver: cuInit loads it and calls InitializeInjection
// fake_cuda_touches stands for an access of the host or the device to managed memory, which the fake driver cannot see.
// As the real ones: a buffer for each thread, a crash on NULL, records that stay open over a switch, and, with
// FAKE_CUPTI_VERSION=130000, the deadlock and the crash of the first CUDA 13.0.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace tracer::test::fake_cuda {

/// Of the environment, as a number.
inline unsigned setting(const char* name, unsigned otherwise = 0) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

inline std::uint64_t monotonic() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

enum class Kind : std::uint8_t {
  kernel,
  graph_node,
  copy_to,
  copy_from,
  copy_on,
  copy_peer,
  set,
  alloc,
  free,
  synchronize,
  pool,        ///< one was made, or cut down
  migrate_to,  ///< pages of managed memory
  migrate_from,
  device_fault,  ///< on such a page
  host_fault
};

/// One operation that the "device" has been given. Times are the tap's.
struct Operation {
  Kind kind;
  std::uint32_t device, context, stream;
  std::uint32_t peer_device;
  std::uint64_t start, end, bytes, address;
  const char* name;
  unsigned grid[3];
  bool is_managed = false;                               ///< of memory
  std::uint64_t pool = 0, pool_size = 0, pool_used = 0;  ///< 0: of none
};

/// Filled in by the fake CUPTI. `begin` and `end` stand around each call of the driver, on the calling thread; the
/// operations that it makes are told in between.
struct Tap {
  void (*begin)(const char* function);
  void (*end)();
  void (*operation)(const Operation&);
  void (*context)(std::uint32_t context, std::uint32_t device);
  void (*going)();  ///< the driver is being torn down: nothing may be called from now on
};

}  // namespace tracer::test::fake_cuda

/// Of the fake driver; nullptr ends it. The driver's contexts are told at once.
extern "C" void fake_cuda_tap(const tracer::test::fake_cuda::Tap* tap, std::uint64_t (*now)());
