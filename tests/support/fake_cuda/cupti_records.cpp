// SPDX-License-Identifier: BSD-3-Clause
// The fake CUPTI's records of what the fake driver says that it does.
#include <dlfcn.h>
#include <pthread.h>

#include <cstdlib>
#include <iterator>

#include "support/fake_cuda/profiler.hpp"

namespace tracer::test::fake_cuda {
namespace {

std::atomic<std::uint32_t> correlation{0};
thread_local CUpti_ActivityAPI api{};

std::uint64_t now() {
  return stamp.load()();
}

#define CALL(name) \
  { CUPTI_DRIVER_TRACE_CBID_##name, #name }
constexpr NamedCall named_calls[] = {
    CALL(cuCtxSetCurrent),    CALL(cuCtxGetDevice),     CALL(cuStreamQuery),        CALL(cuEventQuery),
    CALL(cuMemAlloc_v2),      CALL(cuMemFree_v2),       CALL(cuMemcpyHtoDAsync_v2), CALL(cuMemcpyDtoHAsync_v2),
    CALL(cuMemAllocAsync),    CALL(cuMemFreeAsync),     CALL(cuMemAllocManaged),    CALL(cuMemcpyDtoDAsync_v2),
    CALL(cuMemcpyPeerAsync),  CALL(cuMemsetD8Async),    CALL(cuMemsetD16Async),     CALL(cuMemsetD32Async),
    CALL(cuModuleLoadDataEx), CALL(cuLaunchKernel),     CALL(cuGraphLaunch),        CALL(cuEventRecord),
    CALL(cuEventSynchronize), CALL(cuStreamSynchronize)};
#undef CALL
constexpr unsigned first_real_call = 4;  // those before it make no operation

unsigned index_of(const char* name) {
  for (unsigned i = 0; i < std::size(named_calls); ++i)
    if (std::strcmp(named_calls[i].name, name) == 0) return i;
  violation(name);
  return 0;
}

bool is_recorded(CUpti_CallbackId call) {
  if (wants(CUPTI_ACTIVITY_KIND_DRIVER)) return true;
  const std::lock_guard lock(cupti().lock);
  return cupti().recorded_calls.count(call) != 0;
}

thread_local const NamedCall* inside = nullptr;
thread_local bool told_of_context = false;
thread_local std::uint64_t callback_data = 0;

void tell(CUpti_ApiCallbackSite site) {
  auto& c = cupti();
  {
    const std::lock_guard lock(c.lock);
    if (!c.subscribed || c.told_calls.count({CUPTI_CB_DOMAIN_DRIVER_API, inside->id}) == 0) return;
  }
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = inside->name;
  data.correlationId = api.correlationId;
  data.correlationData = &callback_data;
  c.callback(c.user_data, CUPTI_CB_DOMAIN_DRIVER_API, inside->id, &data);
}

void begin(const char* name) {
  const auto index = index_of(name);
  inside = &named_calls[index];
  api = {};
  api.kind = CUPTI_ACTIVITY_KIND_DRIVER;
  api.cbid = inside->id;
  api.start = now();
  api.processId = static_cast<std::uint32_t>(getpid());
  api.threadId = static_cast<std::uint32_t>(system_thread_ids ? gettid() : pthread_self());
  api.correlationId = ++correlation;
  tell(CUPTI_API_ENTER);
  if (!is_recorded(inside->id)) return;
  if (index < first_real_call && setting("FAKE_CUPTI_VERSION") == 0)
    violation("a call that makes no operation is recorded");
  for (const auto& [kind, stack] : external()) {
    if (stack.empty() || !wants(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) continue;
    CUpti_ActivityExternalCorrelation r{};
    r.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    r.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
    r.externalId = stack.back();
    r.correlationId = api.correlationId;
    store(r, 0);
  }
}

void end() {
  api.end = now();
  tell(CUPTI_API_EXIT);
  if (is_recorded(inside->id))
    store(api, 0, std::getenv("FAKE_CUPTI_LATE_CALLS") ? lane_of_late_calls : lane_of_thread());
}

template <typename Record>
Record common(const Operation& o, CUpti_ActivityKind kind) {
  Record r{};
  r.kind = kind;
  r.start = o.start;
  r.end = o.end;
  r.deviceId = o.device;
  r.contextId = o.context;
  r.streamId = o.stream;
  r.correlationId = api.correlationId;
  return r;
}

void copied(const Operation& o) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMCPY)) return;
  auto r = common<CUpti_ActivityMemcpy6>(o, CUPTI_ACTIVITY_KIND_MEMCPY);
  r.bytes = o.bytes;
  r.srcKind = o.kind == Kind::copy_to ? CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.dstKind = o.kind == Kind::copy_from ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.copyKind = o.kind == Kind::copy_to     ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
               : o.kind == Kind::copy_from ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
                                           : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  store(r, o.end);
}

void allocated(const Operation& o) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMORY2)) return;
  CUpti_ActivityMemory4 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  r.memoryOperationType = o.kind == Kind::free ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                                               : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  r.memoryKind = o.is_managed ? CUPTI_ACTIVITY_MEMORY_KIND_MANAGED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.timestamp = o.start;
  r.address = o.address;
  r.bytes = o.bytes;
  r.deviceId = o.device;
  r.contextId = o.context;
  r.streamId = o.pool ? o.stream : CUPTI_INVALID_STREAM_ID;
  r.correlationId = api.correlationId;
  if (o.pool) {
    r.isAsync = 1;
    r.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
    r.memoryPoolConfig.address = o.pool;
    r.memoryPoolConfig.pool.size = o.pool_size;
    r.memoryPoolConfig.utilizedSize = o.pool_used;
  }
  store(r, 0);
}

void pool_changed(const Operation& o) {
  if (!wants(CUPTI_ACTIVITY_KIND_MEMORY_POOL)) return;
  CUpti_ActivityMemoryPool3 r{};
  r.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  r.memoryPoolOperationType = o.pool_used ? CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED
                                          : CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED;
  r.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  r.processId = static_cast<std::uint32_t>(getpid());
  r.deviceId = o.device;
  r.address = o.pool;
  r.size = o.pool_size;
  r.utilizedSize = o.pool_used;
  r.timestamp = o.start;
  store(r, 0);
}

/// What does not apply is not zero.
template <typename Record>
Record record_of_pages(const Operation& o, CUpti_ActivityUnifiedMemoryCounterKind counter) {
  const bool is_migration = o.kind == Kind::migrate_to || o.kind == Kind::migrate_from;
  Record r{};
  r.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
  r.counterKind = counter;
  r.value = is_migration ? o.bytes : std::uint64_t{o.kind == Kind::device_fault ? 1u : 0x401000u};
  r.start = o.start;
  r.end = o.kind == Kind::host_fault ? 0xeeeeeeeeeeeeeeee : o.start + 500;
  r.address = o.address;
  r.srcId = o.kind == Kind::migrate_to   ? CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID
            : o.kind == Kind::host_fault ? 0xeeeeeeee
                                         : o.device;
  r.dstId = o.kind == Kind::migrate_to     ? o.device
            : o.kind == Kind::migrate_from ? CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID
                                           : 0xeeeeeeee;
  r.streamId = 0xeeeeeeee;
  r.processId = static_cast<std::uint32_t>(getpid());
  return r;
}

void pages(const Operation& o, CUpti_ActivityUnifiedMemoryCounterKind counter) {
  if (!wants(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER)) return;
  {
    const std::lock_guard lock(cupti().lock);
    if (cupti().unified_counters.count(counter) == 0) return;
  }
  if (setting("FAKE_CUPTI_VERSION", CUPTI_API_VERSION) >= 130000)
    store(record_of_pages<CUpti_ActivityUnifiedMemoryCounter3>(o, counter), 0);
  else
    store(record_of_pages<CUpti_ActivityUnifiedMemoryCounter2>(o, counter), 0);
}

/// Another profiler registers its own buffers: whoever was there before gets no more.
void steal() {
  auto& c = cupti();
  const unsigned after = setting("FAKE_CUPTI_STOLEN");
  const std::lock_guard lock(c.lock);
  if (after == 0 || ++c.operations != after) return;
  c.request = [](std::uint8_t** memory, std::size_t* size, std::size_t*) {
    *size = 1 << 16;
    *memory = static_cast<std::uint8_t*>(std::aligned_alloc(8, *size));
  };
  c.complete = [](CUcontext, std::uint32_t, std::uint8_t*, std::size_t, std::size_t) {};
}

void operation(const Operation& o) {
  steal();
  switch (o.kind) {
    case Kind::kernel:
    case Kind::graph_node: {
      if (!wants(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
      auto r = common<CUpti_ActivityKernel10>(o, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
      static std::atomic<unsigned> graph_nodes{0};
      const bool without_times = o.kind == Kind::graph_node && std::getenv("FAKE_CUPTI_GRAPH_TIMES") &&
                                 ++graph_nodes > setting("FAKE_CUPTI_GRAPH_TIMES");
      if (without_times) r.start = r.end = 0;
      r.gridX = static_cast<int>(o.grid[0]), r.gridY = r.gridZ = 1;
      r.blockX = 256, r.blockY = r.blockZ = 1;
      r.registersPerThread = 64;
      r.staticSharedMemory = 1024;
      r.name = o.name;
      return store(r, without_times ? 0 : o.end);
    }
    case Kind::copy_to:
    case Kind::copy_from:
    case Kind::copy_on:
      return copied(o);
    case Kind::copy_peer: {
      if (!wants(CUPTI_ACTIVITY_KIND_MEMCPY2)) return;
      auto r = common<CUpti_ActivityMemcpyPtoP4>(o, CUPTI_ACTIVITY_KIND_MEMCPY2);
      r.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
      r.bytes = o.bytes;
      r.srcDeviceId = o.device;
      r.dstDeviceId = o.peer_device;
      return store(r, o.end);
    }
    case Kind::set: {
      if (!wants(CUPTI_ACTIVITY_KIND_MEMSET)) return;
      auto r = common<CUpti_ActivityMemset4>(o, CUPTI_ACTIVITY_KIND_MEMSET);
      r.bytes = o.bytes;
      return store(r, o.end);
    }
    case Kind::alloc:
    case Kind::free:
      return allocated(o);
    case Kind::pool:
      return pool_changed(o);
    case Kind::migrate_to:
      return pages(o, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD);
    case Kind::migrate_from:
      return pages(o, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH);
    case Kind::device_fault:
      return pages(o, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT);
    case Kind::host_fault:
      return pages(o, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT);
    case Kind::synchronize: {
      if (!wants(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)) return;
      CUpti_ActivitySynchronization2 r{};
      r.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
      r.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
      r.start = o.start;
      r.end = o.end;
      r.contextId = o.context;
      r.streamId = o.stream;
      r.correlationId = api.correlationId;
      return store(r, 0);
    }
  }
}

/// It belongs to no device; the first comes before any context's record. Whoever reads it frees its data.
void overhead_of_thread() {
  if (!wants(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  CUpti_ActivityOverhead3 r{};
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  if (setting("FAKE_CUPTI_VERSION", CUPTI_API_VERSION) >= 130000)
    r.overheadData = std::calloc(1, sizeof(CUpti_ActivityOverheadCommandBufferFullData));
  r.objectId.pt.processId = static_cast<std::uint32_t>(getpid());
  r.objectId.pt.threadId = static_cast<std::uint32_t>(gettid());
  r.end = now();
  r.start = r.end - 1000;
  store(r, 0);
}

void context(std::uint32_t id, std::uint32_t device) {
  cupti().has_context = true;
  if (wants(CUPTI_ACTIVITY_KIND_DEVICE)) devices();
  overhead_of_thread();
  told_of_context = true;
  if (cupti().contexts_are_told)
    cupti().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
  told_of_context = false;
  if (wants(CUPTI_ACTIVITY_KIND_CONTEXT)) {
    CUpti_ActivityContext3 r{};
    r.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
    r.contextId = id;
    r.deviceId = device;
    store(r, 0);
  }
  if (!wants(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  CUpti_ActivityOverhead3 r{};
  r.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  r.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE;
  r.objectKind = CUPTI_ACTIVITY_OBJECT_CONTEXT;
  r.objectId.dcs.deviceId = device;
  r.objectId.dcs.contextId = id;
  r.start = now();
  r.end = r.start + 1000;
  store(r, 0);
}

void going() {
  torn_down = true;
}

const Tap tap{&begin, &end, &operation, &context, &going};

}  // namespace

bool is_told_of_context() {
  return told_of_context;
}

void devices() {
  static std::atomic<bool> are_described{false};
  using Count = CUresult (*)(int*);
  const auto count = reinterpret_cast<Count>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "fake_cuda_device_count"));
  int n = 0;
  if (!count || count(&n) != CUDA_SUCCESS || are_described.exchange(true)) return;
  for (int i = 0; i < n; ++i) {
    CUpti_ActivityDevice5 r{};
    r.kind = CUPTI_ACTIVITY_KIND_DEVICE;
    r.id = static_cast<std::uint32_t>(i);
    r.name = "Fake GPU";
    r.computeCapabilityMajor = 9;
    r.globalMemorySize = std::uint64_t{1} << 34;
    r.numMultiprocessors = 132;
    r.numThreadsPerWarp = 32;
    r.maxWarpsPerMultiprocessor = 64;
    r.maxBlocksPerMultiprocessor = 32;
    r.maxRegistersPerMultiprocessor = 65536;
    r.maxSharedMemoryPerMultiprocessor = 228 << 10;
    std::memset(&r.uuid, i + 1, sizeof r.uuid);
    store(r, 0);
  }
}

void listen(bool on) {
  using Listen = void (*)(const Tap*, std::uint64_t (*)());
  static const auto set = reinterpret_cast<Listen>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "fake_cuda_tap"));
  if (set) set(on ? &tap : nullptr, &monotonic);
}

const NamedCall* call_of(CUpti_CallbackId id) {
  for (const NamedCall& call : named_calls)
    if (call.id == id) return &call;
  return nullptr;
}

}  // namespace tracer::test::fake_cuda
