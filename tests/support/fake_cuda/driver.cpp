// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 without a device: memory is the host's, copies happen, kernels do nothing but take their time on their
// stream. It has what LLVM's plugin, GCC's plugin and the tests call. This file: start, devices, contexts, and the work
// of streams; beside it memory, modules, streams.
#include "support/fake_cuda/driver.hpp"

#include <dlfcn.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>

// The name as LLVM's plugin asks for it; the others are the header's ("cuDeviceTotalMem_v2").
#undef cuDeviceGetUuid

namespace tracer::test::fake_cuda {
namespace {

thread_local std::vector<CUcontext> below;  ///< the thread's stack of contexts, without the current one
thread_local bool starts = false;           ///< cuInit is at work
std::atomic<int> init_callers{0};           ///< threads that have come to cuInit
constexpr std::uint64_t first_pool = 0x9001000;

void await_another_caller() {
  constexpr int most_naps = 20'000;
  for (int naps = 0; naps < most_naps && init_callers < 2; ++naps)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// As the real one, whose own exit handler runs before the destructors of libraries loaded earlier.
void tear_down() {
  gone = true;
  if (const auto* t = tap.exchange(nullptr)) t->going();
}

}  // namespace

Driver* driver = nullptr;
std::atomic<const Tap*> tap{nullptr};
std::uint64_t (*now)() = &monotonic;
std::atomic<bool> gone{false};
thread_local CUcontext current = nullptr;

CUresult ready(CUstream stream) {
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (!driver) return CUDA_ERROR_NOT_INITIALIZED;
  if (!current && stream) current = driver->contexts[stream->device].get();
  return current ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUstream_st& stream_of(CUstream stream) {
  if (stream) return *stream;
  const std::lock_guard lock(driver->lock);
  auto& null = driver->null_streams[current->device];
  if (!null) {
    null = std::make_unique<CUstream_st>();
    null->device = current->device;
    null->id = 7;
  }
  return *null;
}

void run(Kind kind, CUstream stream, std::uint64_t bytes, std::uint64_t duration, std::uint64_t address,
         const char* name, unsigned grid, unsigned peer) {
  auto& on = stream_of(stream);
  const auto asked = now() + 2000;
  auto free_at = on.busy_until.load();
  std::uint64_t start = 0;
  do start = std::max(asked, free_at);
  while (!on.busy_until.compare_exchange_weak(free_at, start + duration));
  if (const auto* t = tap.load())
    t->operation(
        {kind, on.device, current->id, on.id, peer, start, start + duration, bytes, address, name, {grid, 1, 1}});
}

void at_once(Kind kind, const Memory& memory, std::uint64_t address) {
  const auto t = now();
  Operation o{kind, current->device, current->id, 7, 0, t, t, memory.bytes, address, nullptr, {0, 0, 0}};
  o.is_managed = memory.is_managed;
  if (memory.is_of_pool) {
    const std::lock_guard lock(driver->lock);
    const Pool& pool = driver->pools[current->device];
    o.pool = first_pool + current->device;
    o.pool_size = pool.size;
    o.pool_used = pool.used;
  }
  if (const auto* to = tap.load()) to->operation(o);
}

void wait(CUstream stream) {
  auto& on = stream_of(stream);
  const auto begin = now();
  while (now() < on.busy_until) {
  }
  if (const auto* t = tap.load())
    t->operation({Kind::synchronize, on.device, current->id, on.id, 0, begin, now(), 0, 0, nullptr, {0, 0, 0}});
}

}  // namespace tracer::test::fake_cuda

using namespace tracer::test::fake_cuda;

extern "C" {

EXPORT void fake_cuda_tap(const Tap* to, std::uint64_t (*clock)()) {
  now = clock ? clock : &monotonic;
  tap = to;
  if (!to || !driver) return;
  for (const auto& context : driver->contexts)
    if (context) to->context(context->id, context->device);
  for (const auto& context : driver->created) to->context(context->id, context->device);
}

/// As the real one: a profiler's library, loaded from within.
static void inject() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  const auto initialize = library ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
  if (initialize && std::getenv("FAKE_CUDA_INIT_AWAITS")) await_another_caller();
  starts = true;
  if (initialize && initialize() == 0) std::fprintf(stderr, "fake driver: InitializeInjection failed\n");
  starts = false;
}
EXPORT int fake_cuda_init_callers() {
  return init_callers;
}
EXPORT CUresult cuInit(unsigned) {
  ++init_callers;
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (const auto code = setting("FAKE_CUDA_FAILS", 0)) return static_cast<CUresult>(code);
  if (setting("FAKE_CUDA_DEVICES", 1) == 0) return CUDA_ERROR_NO_DEVICE;
  static std::once_flag once;
  std::call_once(once, [] {
    driver = new Driver{setting("FAKE_CUDA_DEVICES", 1)};  // lives on: threads may still call when the process ends
    inject();
    std::atexit(&tear_down);
  });
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDriverGetVersion(int* version) {
  return *version = CUDA_VERSION, CUDA_SUCCESS;
}
EXPORT int fake_cuda_device_count(int* count) {  // for the fake CUPTI, which the real driver lets look inside
  if (gone || !driver) return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
  return *count = static_cast<int>(driver->devices), CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetCount(int* count) {
  if (starts) std::abort();  // waits for itself
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (!driver) return CUDA_ERROR_NOT_INITIALIZED;
  return *count = static_cast<int>(driver->devices), CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!driver || ordinal < 0 || ordinal >= static_cast<int>(driver->devices)) return CUDA_ERROR_INVALID_DEVICE;
  return *device = ordinal, CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU %d", device), CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  std::memset(uuid, device + 1, sizeof *uuid);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return cuDeviceGetUuid(uuid, device);
}
EXPORT CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  return *bytes = std::size_t{1} << 34, CUDA_SUCCESS;
}
EXPORT CUresult cuMemGetInfo(std::size_t* unused, std::size_t* total) {
  return *unused = *total = std::size_t{1} << 34, CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      break;
    default:
      *value = 1024;
  }
  return CUDA_SUCCESS;
}
EXPORT CUresult cuGetErrorString(CUresult, const char** text) {
  return *text = "an error of the fake driver", CUDA_SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return *flags = 0, *active = driver->contexts[static_cast<std::size_t>(device)] != nullptr, CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (gone || !driver) return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
  const std::lock_guard lock(driver->lock);
  const auto number = static_cast<unsigned>(device);
  auto& primary = driver->contexts[number];
  if (!primary) {
    primary = std::make_unique<CUctx_st>(CUctx_st{number, number + 1});
    if (const auto* t = tap.load()) t->context(primary->id, number);
  }
  return *context = primary.get(), CUDA_SUCCESS;
}
EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  const Call call("cuCtxSetCurrent");
  return current = context, gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
  return *context = current, gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuCtxPushCurrent(CUcontext context) {
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  below.push_back(current);
  return current = context, CUDA_SUCCESS;
}
EXPORT CUresult cuCtxPopCurrent(CUcontext* context) {
  if (const auto no = ready()) return no;
  if (context) *context = current;
  current = below.empty() ? nullptr : below.back();
  if (!below.empty()) below.pop_back();
  return CUDA_SUCCESS;
}
/// The version that GCC's plugin calls; the header's has other arguments.
#undef cuCtxCreate_v2
EXPORT CUresult cuCtxCreate_v2(CUcontext* context, unsigned, CUdevice device) {
  if (gone || !driver) return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_ERROR_NOT_INITIALIZED;
  {
    const std::lock_guard lock(driver->lock);
    const auto number = static_cast<unsigned>(device);
    const auto id = driver->devices + static_cast<unsigned>(driver->created.size()) + 1;
    driver->created.push_back(std::make_unique<CUctx_st>(CUctx_st{number, id}));
    *context = driver->created.back().get();
  }
  if (const auto* t = tap.load()) t->context((*context)->id, (*context)->device);
  return cuCtxPushCurrent(*context);
}
EXPORT CUresult cuCtxDestroy(CUcontext context) {
  if (context == current) return cuCtxPopCurrent(nullptr);
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
  if (const auto no = ready()) return no;
  return *device = static_cast<int>(current->device), CUDA_SUCCESS;
}
EXPORT CUresult cuCtxGetLimit(std::size_t* value, CUlimit) {
  return *value = 8192, CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSetLimit(CUlimit, std::size_t) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  return *can = 1, CUDA_SUCCESS;
}
EXPORT CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  return CUDA_SUCCESS;
}
}
