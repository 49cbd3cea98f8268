// SPDX-License-Identifier: BSD-3-Clause
// A libcuda.so.1 without a device: memory is the host's, copies happen, kernels do nothing but take their time on their
// stream. It has what LLVM's plugin and the tests call.
#include <dlfcn.h>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <cuda.h>

#include "support/fake_cuda/elf_image.hpp"
#include "support/fake_cuda/fake_cuda.hpp"

// The names as LLVM's plugin asks for them; the others are the header's ("cuMemAlloc_v2").
#undef cuEventDestroy
#undef cuDeviceGetUuid

struct CUctx_st {
  unsigned device, id;
};
struct CUstream_st {
  unsigned device, id;
  std::atomic<std::uint64_t> busy_until{0};
};
struct CUfunc_st {
  std::string name;
};
struct Graph {
  CUfunction kernel = nullptr;
  unsigned nodes = 0;
};
struct CUmod_st {
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
  std::map<std::string, std::vector<char>> globals;
  std::string image;
};
struct CUevent_st {
  std::uint64_t at = 0;
};

namespace {

using namespace tracer::test::fake_cuda;

std::uint64_t real_now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

unsigned setting(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

struct Driver {
  std::mutex lock;
  const unsigned devices = setting("FAKE_CUDA_DEVICES", 1);
  std::vector<std::unique_ptr<CUctx_st>> contexts;  // primary, by device
  std::map<unsigned, std::unique_ptr<CUstream_st>> null_streams;
  std::set<CUstream_st*> streams;
  std::set<CUmod_st*> modules;
  std::map<std::uint64_t, std::size_t> memory;
  unsigned next_stream = 13;
};
Driver* driver = nullptr;
std::atomic<const Tap*> tap{nullptr};
std::uint64_t (*now)() = &real_now;
std::atomic<bool> gone{false};
thread_local CUcontext current = nullptr;

/// Around each function that does something.
class Call {
 public:
  explicit Call(const char* name) : tap_(tap.load()) {
    if (tap_) tap_->begin(name);
  }
  ~Call() {
    if (tap_) tap_->end();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  const Tap* tap_;
};

/// A thread without a context uses its stream's.
CUresult ready(CUstream stream = nullptr) {
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

/// Operations of a stream follow each other; some microseconds after they were asked for.
void run(Kind kind, CUstream stream, std::uint64_t bytes, std::uint64_t duration, std::uint64_t address = 0,
         const char* name = nullptr, unsigned grid = 1, unsigned peer = 0) {
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

void at_once(Kind kind, std::uint64_t bytes, std::uint64_t address) {
  const auto t = now();
  if (const auto* to = tap.load())
    to->operation({kind, current->device, current->id, 7, 0, t, t, bytes, address, nullptr, {0, 0, 0}});
}

void wait(CUstream stream) {
  auto& on = stream_of(stream);
  const auto begin = now();
  while (now() < on.busy_until) {
  }
  if (const auto* t = tap.load())
    t->operation({Kind::synchronize, on.device, current->id, on.id, 0, begin, now(), 0, 0, nullptr, {0, 0, 0}});
}

thread_local bool starts = false;  ///< cuInit is at work

/// As the real one, whose own exit handler runs before the destructors of libraries loaded earlier.
void tear_down() {
  gone = true;
  if (const auto* t = tap.exchange(nullptr)) t->going();
}

}  // namespace

extern "C" {
#define EXPORT __attribute__((visibility("default")))

EXPORT void fake_cuda_tap(const Tap* to, std::uint64_t (*clock)()) {
  now = clock ? clock : &real_now;
  tap = to;
  if (!to || !driver) return;
  for (const auto& context : driver->contexts)
    if (context) to->context(context->id, context->device);
}

/// As the real one: a profiler's library, loaded from within.
static void inject() {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  void* library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  const auto initialize = library ? reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")) : nullptr;
  starts = true;
  if (initialize && initialize() == 0) std::fprintf(stderr, "fake driver: InitializeInjection failed\n");
  starts = false;
}
EXPORT CUresult cuInit(unsigned) {
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (const auto code = setting("FAKE_CUDA_FAILS", 0)) return static_cast<CUresult>(code);
  if (setting("FAKE_CUDA_DEVICES", 1) == 0) return CUDA_ERROR_NO_DEVICE;
  static std::once_flag once;
  std::call_once(once, [] {
    driver = new Driver;  // lives on: threads may still call when the process ends
    driver->contexts.resize(driver->devices);
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

EXPORT CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  if (const auto no = ready()) return no;
  const Call call("cuMemAlloc_v2");
  void* memory = std::calloc(1, bytes ? bytes : 1);
  if (!memory) return CUDA_ERROR_OUT_OF_MEMORY;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  {
    const std::lock_guard lock(driver->lock);
    driver->memory[*address] = bytes;
  }
  return at_once(Kind::alloc, bytes, *address), CUDA_SUCCESS;
}
EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream) {
  return cuMemAlloc(address, bytes);
}
EXPORT CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned) {
  return cuMemAlloc(address, bytes);
}
EXPORT CUresult cuMemFree(CUdeviceptr address) {
  if (gone) return CUDA_ERROR_DEINITIALIZED;
  if (!current) return CUDA_ERROR_INVALID_CONTEXT;
  const Call call("cuMemFree_v2");
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(driver->lock);
    const auto it = driver->memory.find(address);
    if (it == driver->memory.end()) return CUDA_ERROR_INVALID_VALUE;
    bytes = it->second;
    driver->memory.erase(it);
  }
  std::free(reinterpret_cast<void*>(address));
  return at_once(Kind::free, bytes, address), CUDA_SUCCESS;
}
EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream) {
  return cuMemFree(address);
}
EXPORT CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
  return *memory = std::calloc(1, bytes), CUDA_SUCCESS;
}
EXPORT CUresult cuMemFreeHost(void* memory) {
  return std::free(memory), CUDA_SUCCESS;
}

EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyHtoDAsync_v2");
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return run(Kind::copy_to, stream, bytes, 1000 + bytes / 16, to), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyDtoHAsync_v2");
  std::memcpy(to, reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_from, stream, bytes, 1000 + bytes / 16, from), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyDtoDAsync_v2");
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_on, stream, bytes, 500 + bytes / 64, to), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext peer, CUdeviceptr from, CUcontext, std::size_t bytes,
                                  CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemcpyPeerAsync");
  std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
  return run(Kind::copy_peer, stream, bytes, 500 + bytes / 32, to, nullptr, 1, peer->device), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  if (const auto no = cuMemcpyHtoDAsync(to, from, bytes, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
EXPORT CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const auto no = cuMemcpyDtoHAsync(to, from, bytes, nullptr)) return no;
  return wait(nullptr), CUDA_SUCCESS;
}
EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t n, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuMemsetD8Async");
  std::memset(reinterpret_cast<void*>(to), value, n);
  return run(Kind::set, stream, n, 800, to), CUDA_SUCCESS;
}
#define MEMSET(name, Type)                                                           \
  EXPORT CUresult name(CUdeviceptr to, Type value, std::size_t n, CUstream stream) { \
    if (const auto no = ready()) return no;                                          \
    const Call call(#name);                                                          \
    std::fill_n(reinterpret_cast<Type*>(to), n, value);                              \
    return run(Kind::set, stream, n * sizeof(Type), 800, to), CUDA_SUCCESS;          \
  }
MEMSET(cuMemsetD16Async, unsigned short)
MEMSET(cuMemsetD32Async, unsigned)
#define NOT_HERE(name, ...)           \
  EXPORT CUresult name(__VA_ARGS__) { \
    return CUDA_ERROR_NOT_SUPPORTED;  \
  }
NOT_HERE(cuMemsetD2D8Async, CUdeviceptr, std::size_t, unsigned char, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemsetD2D16Async, CUdeviceptr, std::size_t, unsigned short, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemsetD2D32Async, CUdeviceptr, std::size_t, unsigned, std::size_t, std::size_t, CUstream)
NOT_HERE(cuMemUnmap, CUdeviceptr, std::size_t)
NOT_HERE(cuMemRelease, CUmemGenericAllocationHandle)
NOT_HERE(cuMemAddressFree, CUdeviceptr, std::size_t)
NOT_HERE(cuMemAddressReserve, CUdeviceptr*, std::size_t, std::size_t, CUdeviceptr, unsigned long long)
NOT_HERE(cuMemMap, CUdeviceptr, std::size_t, std::size_t, CUmemGenericAllocationHandle, unsigned long long)
NOT_HERE(cuMemCreate, CUmemGenericAllocationHandle*, std::size_t, const CUmemAllocationProp*, unsigned long long)
NOT_HERE(cuMemSetAccess, CUdeviceptr, std::size_t, const CUmemAccessDesc*, std::size_t)
NOT_HERE(cuMemGetAllocationGranularity, std::size_t*, const CUmemAllocationProp*, CUmemAllocationGranularity_flags)

EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  if (const auto no = ready()) return no;
  const Call call("cuModuleLoadDataEx");
  std::this_thread::sleep_for(std::chrono::milliseconds(setting("FAKE_CUDA_MODULE_MS", 0)));
  auto* made = new CUmod_st;
  made->image = copy_image(image);
  const std::lock_guard lock(driver->lock);
  driver->modules.insert(made);
  return *module = made, CUDA_SUCCESS;
}
EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
/// Functions live on: CUPTI's records name them by pointer.
EXPORT CUresult cuModuleUnload(CUmodule) {
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (!module->image.empty() && size_in(module->image, name) == 0) return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(driver->lock);
  auto& made = module->functions[name];
  if (!made) made = std::make_unique<CUfunc_st>(CUfunc_st{name});
  return *function = made.get(), CUDA_SUCCESS;
}
EXPORT CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
  const std::size_t size = size_in(module->image, name);
  if (size == 0) return CUDA_ERROR_NOT_FOUND;
  const std::lock_guard lock(driver->lock);
  auto& memory = module->globals[name];
  memory.resize(size);
  if (address) *address = reinterpret_cast<CUdeviceptr>(memory.data());
  if (bytes) *bytes = size;
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  return *value = 1024, CUDA_SUCCESS;
}
EXPORT CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetParamInfo(CUfunction, std::size_t, std::size_t*, std::size_t*) {
  return CUDA_ERROR_INVALID_VALUE;
}
EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int* grid, int* block, CUfunction, CUoccupancyB2DSize, std::size_t,
                                                 int) {
  return *grid = 132, *block = 256, CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned x, unsigned, unsigned, unsigned, unsigned, unsigned,
                               unsigned, CUstream stream, void**, void**) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuLaunchKernel");
  return run(Kind::kernel, stream, 0, 5000, 0, function->name.c_str(), x), CUDA_SUCCESS;
}
/// What a program makes of a graph is one node repeated here: the exec is a kernel and a number.
EXPORT CUresult fake_cuda_graph(CUgraphExec* exec, CUfunction kernel, unsigned nodes) {
  return *exec = reinterpret_cast<CUgraphExec>(new Graph{kernel, nodes}), CUDA_SUCCESS;
}
EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuGraphLaunch");
  const auto* graph = reinterpret_cast<const Graph*>(exec);
  for (unsigned i = 0; i < graph->nodes; ++i) run(Kind::graph_node, stream, 0, 5000, 0, graph->kernel->name.c_str(), 1);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  wait(stream);
  return function(data), CUDA_SUCCESS;
}
EXPORT CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
  wait(stream);
  return callback(stream, CUDA_SUCCESS, data), CUDA_SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned) {
  if (const auto no = ready()) return no;
  const std::lock_guard lock(driver->lock);
  auto* made = new CUstream_st;
  made->device = current->device;
  made->id = driver->next_stream++;
  driver->streams.insert(made);
  return *stream = made, CUDA_SUCCESS;
}
EXPORT CUresult cuStreamDestroy(CUstream) {
  return gone ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}
EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  if (const auto no = ready(stream)) return no;
  const Call call("cuStreamSynchronize");
  return wait(stream), CUDA_SUCCESS;
}
EXPORT CUresult cuCtxSynchronize() {
  return cuStreamSynchronize(nullptr);
}
EXPORT CUresult cuStreamQuery(CUstream stream) {
  const Call call("cuStreamQuery");
  return now() < stream_of(stream).busy_until ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
EXPORT CUresult cuEventCreate(CUevent* event, unsigned) {
  return *event = new CUevent_st, CUDA_SUCCESS;
}
EXPORT CUresult cuEventDestroy(CUevent event) {
  return delete event, CUDA_SUCCESS;
}
EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  const Call call("cuEventRecord");
  return event->at = stream_of(stream).busy_until, CUDA_SUCCESS;
}
EXPORT CUresult cuEventQuery(CUevent event) {
  const Call call("cuEventQuery");
  return now() < event->at ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  auto& on = stream_of(stream);
  on.busy_until = std::max(on.busy_until.load(), event->at);
  return CUDA_SUCCESS;
}
EXPORT CUresult cuEventSynchronize(CUevent event) {
  const Call call("cuEventSynchronize");
  while (now() < event->at) {
  }
  return CUDA_SUCCESS;
}
}
