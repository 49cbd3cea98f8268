// SPDX-License-Identifier: BSD-3-Clause
// A libcupti.so.13 over the fake driver: activity records of the real structs in buffers that the tool lends, delivered
// by a thread of its own or by a flush. What the documentation forbids is said on stderr as "fake cupti: ...".
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <cupti.h>

#include "support/fake_cuda/fake_cuda.hpp"

namespace {

using namespace tracer::test::fake_cuda;

void violation(const char* what) {
  std::fprintf(stderr, "fake cupti: %s\n", what);
}

std::uint64_t monotonic() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

struct Buffer {
  std::uint8_t* memory = nullptr;
  std::size_t size = 0, used = 0;
};
struct Pending {  // an operation that the device may still be at
  std::uint64_t end = 0;
  std::uint64_t lane = 0;
  CUpti_ActivityKind kind = CUPTI_ACTIVITY_KIND_INVALID;
  std::size_t end_offset = 0;
  std::vector<std::uint8_t> record;
};
/// Since CUDA 13 each thread has one, unless an attribute says no.
struct Lane {
  Buffer open;
  std::vector<Buffer> spare;
};

struct Cupti {
  std::mutex lock;
  std::condition_variable changed;
  std::set<CUpti_ActivityKind> enabled;
  std::vector<Pending> pending, over_disable;
  std::map<std::uint64_t, Lane> lanes;
  std::vector<Buffer> full;
  std::set<CUpti_CallbackId> recorded_calls;
  std::set<std::pair<int, CUpti_CallbackId>> told_calls;
  void* user_data = nullptr;
  std::uint64_t operations = 0;
  bool kernels_were_disabled = false;
  std::map<std::string, unsigned> calls;
  CUpti_CallbackFunc callback = nullptr;
  bool contexts_are_told = false, has_context = false;
  bool subscribed = false, registered = false, ever_enabled = false, ending = false;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::size_t dropped = 0;
  unsigned settling = 0;  ///< threads that have pending records in hand
  std::thread worker;
  const pid_t process = getpid();
};
Cupti& cupti() {
  static auto* state = new Cupti;  // outlives every thread
  return *state;
}
std::atomic<std::uint64_t (*)()> stamp{&monotonic};
std::atomic<std::uint32_t> correlation{0};
std::atomic<bool> system_thread_ids{false}, torn_down{false};
/// By kind. Never destroyed: exit handlers come after the thread's own variables.
std::map<int, std::vector<std::uint64_t>>& external() {
  static thread_local auto* stacks = new std::map<int, std::vector<std::uint64_t>>;
  return *stacks;
}
thread_local CUpti_ActivityAPI api{};
thread_local bool inside_callback = false;

std::uint64_t now() {
  return stamp.load()();
}

std::atomic<bool> destroyed{false};
__attribute__((destructor)) void destroy() {
  destroyed = true;
}
/// The real one crashes when it is called after its own destructors have run, whether the driver had begun or not.
void crash_if_destroyed() {
  if (!destroyed) return;
  violation("called after its destructors have run");
  std::abort();
}

/// What FAKE_CUPTI_FAILS wants this call to answer.
CUptiResult entered(const char* name) {
  auto& c = cupti();
  crash_if_destroyed();
  if (c.process != getpid()) violation("called in a forked child");
  if (inside_callback) violation("called from a buffer callback");
  if (torn_down) violation("called after the driver was torn down");
  const char* wish = std::getenv("FAKE_CUPTI_FAILS");
  if (!wish) return CUPTI_SUCCESS;
  const std::string text = wish;
  const auto colon = text.find(':');
  if (text.substr(0, colon) != name) return CUPTI_SUCCESS;
  const auto second = text.find(':', colon + 1);
  const unsigned after = second == std::string::npos ? 1 : static_cast<unsigned>(std::atoi(text.c_str() + second + 1));
  const std::lock_guard lock(c.lock);
  return ++c.calls[name] >= after ? static_cast<CUptiResult>(std::atoi(text.c_str() + colon + 1)) : CUPTI_SUCCESS;
}

unsigned setting(const char* name) {
  const char* text = std::getenv(name);
  return text ? static_cast<unsigned>(std::atoi(text)) : 0;
}

bool wants(CUpti_ActivityKind kind) {
  if (setting("FAKE_CUPTI_MUTE") == static_cast<unsigned>(kind)) return false;
  const std::lock_guard lock(cupti().lock);
  return cupti().enabled.count(kind) != 0;
}

constexpr std::uint64_t lane_of_late_calls = ~std::uint64_t{0};
std::atomic<std::uint64_t> next_lane{1};
std::atomic<bool> per_thread{true};
std::uint64_t lane_of_thread() {
  static thread_local const std::uint64_t own = next_lane++;
  return per_thread ? own : 0;
}

void lend(Lane& lane, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  std::uint8_t* memory = nullptr;
  std::size_t size = 0, most = 0;
  lock.unlock();
  inside_callback = true;
  if (c.request) c.request(&memory, &size, &most);
  inside_callback = false;
  lock.lock();
  if (memory && reinterpret_cast<std::uintptr_t>(memory) % 8) violation("a buffer that is not aligned to 8 bytes");
  if (memory && size < 1024) violation("a buffer of less than 1024 bytes");
  if (!memory) {
    violation("a NULL buffer, at which CUPTI crashed before 12.9");
    std::abort();
  }
  if (lane.open.memory)
    lane.spare.push_back({memory, size, 0});  // another thread was faster
  else
    lane.open = {memory, size, 0};
}

/// A record in the open buffer, preceded by its length.
void write(const std::vector<std::uint8_t>& record, std::uint64_t number, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  auto& lane = c.lanes[number];
  // records of later versions have more fields
  const std::size_t newer = std::getenv("FAKE_CUPTI_NEWER") ? 64 : 0;
  const std::size_t need = 8 + (record.size() + newer + 7) / 8 * 8;
  while (!lane.open.memory || lane.open.used + need > lane.open.size) {  // other threads write while one is lent
    if (lane.open.memory) c.full.push_back(lane.open);
    lane.open = {};
    c.changed.notify_one();
    if (lane.spare.empty()) {
      lend(lane, lock);
    } else {
      lane.open = lane.spare.back();
      lane.spare.pop_back();
    }
  }
  const std::uint64_t length = need;
  std::memcpy(lane.open.memory + lane.open.used, &length, 8);
  std::memcpy(lane.open.memory + lane.open.used + 8, record.data(), record.size());
  std::memset(lane.open.memory + lane.open.used + 8 + record.size(), 0xee, need - 8 - record.size());
  lane.open.used += need;
}

template <typename Record>
constexpr std::size_t offset_of_end() {
  if constexpr (requires(Record r) { r.end; })
    return offsetof(Record, end);
  else
    return 0;
}

template <typename Record>
void store(const Record& record, std::uint64_t end, std::uint64_t lane = lane_of_thread()) {
  auto& c = cupti();
  std::vector<std::uint8_t> bytes(sizeof record);
  std::memcpy(bytes.data(), &record, sizeof record);
  std::unique_lock lock(c.lock);
  if (end > monotonic() && c.pending.size() < 100'000)
    c.pending.push_back(
        {end, lane, static_cast<CUpti_ActivityKind>(record.kind), offset_of_end<Record>(), std::move(bytes)});
  else
    write(bytes, lane, lock);
}

/// Operations that are over; with `all` those that are not as well, of which nothing is known then.
void settle(bool all, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  ++c.settling;
  std::vector<Pending> wait;
  auto pending = std::move(c.pending);
  c.pending.clear();
  for (auto& p : pending) {
    const bool over = p.end <= monotonic();
    if (!over && all && p.end_offset) std::memset(p.record.data() + p.end_offset, 0, sizeof(std::uint64_t));
    if (all || over)
      write(p.record, p.lane, lock);
    else
      wait.push_back(std::move(p));
  }
  c.pending.insert(c.pending.end(), wait.begin(), wait.end());
  --c.settling;
  c.changed.notify_all();
}

enum class Which { full, complete, all };

/// `complete`: also buffers that are not full, but none with a record that is still open.
void deliver(Which which, std::unique_lock<std::mutex>& lock) {
  auto& c = cupti();
  for (auto& [number, lane] : c.lanes) {
    if (which == Which::full) break;
    const auto is_open = [number = number](const Pending& p) { return p.lane == number; };
    const bool held = std::any_of(c.pending.begin(), c.pending.end(), is_open) || number == lane_of_late_calls;
    if (which == Which::complete && held) continue;
    if (lane.open.memory) c.full.push_back(lane.open);
    lane.open = {};
    c.full.insert(c.full.end(), lane.spare.begin(), lane.spare.end());
    lane.spare.clear();
  }
  auto full = std::move(c.full);
  c.full.clear();
  lock.unlock();
  if (const char* late = std::getenv("FAKE_CUPTI_LATE"); late && which == Which::full)
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(late)));
  inside_callback = true;
  for (const auto& b : full) c.complete(nullptr, 0, b.memory, b.size, b.used);
  inside_callback = false;
  lock.lock();
}

void work() {
  pthread_setname_np(pthread_self(), "fake cupti");
  auto& c = cupti();
  std::unique_lock lock(c.lock);
  while (!c.ending) {
    c.changed.wait_for(lock, std::chrono::milliseconds(20));
    if (c.ending) return;
    settle(false, lock);
    if (!std::getenv("FAKE_CUPTI_KEEPS") && c.complete) deliver(Which::full, lock);
  }
}

struct NamedCall {
  CUpti_CallbackId id;
  const char* name;
};
#define CALL(name) \
  { CUPTI_DRIVER_TRACE_CBID_##name, #name }
constexpr NamedCall named_calls[] = {
    CALL(cuCtxSetCurrent),      CALL(cuCtxGetDevice),     CALL(cuStreamQuery),        CALL(cuEventQuery),
    CALL(cuMemAlloc_v2),        CALL(cuMemFree_v2),       CALL(cuMemcpyHtoDAsync_v2), CALL(cuMemcpyDtoHAsync_v2),
    CALL(cuMemcpyDtoDAsync_v2), CALL(cuMemcpyPeerAsync),  CALL(cuMemsetD8Async),      CALL(cuMemsetD16Async),
    CALL(cuMemsetD32Async),     CALL(cuModuleLoadDataEx), CALL(cuLaunchKernel),       CALL(cuGraphLaunch),
    CALL(cuEventRecord),        CALL(cuEventSynchronize), CALL(cuStreamSynchronize)};
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
  r.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  r.timestamp = o.start;
  r.address = o.address;
  r.bytes = o.bytes;
  r.deviceId = o.device;
  r.contextId = o.context;
  r.streamId = CUPTI_INVALID_STREAM_ID;
  r.correlationId = api.correlationId;
  store(r, 0);
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

void devices();

void context(std::uint32_t id, std::uint32_t device) {
  cupti().has_context = true;
  if (wants(CUPTI_ACTIVITY_KIND_DEVICE)) devices();
  if (cupti().contexts_are_told)
    cupti().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
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

/// Of all devices, once, when the driver is in use.
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

void going() {
  torn_down = true;
}

/// What was open when a kind was switched off ends when it is switched on again.
void end_what_was_open(CUpti_ActivityKind kind) {
  auto& c = cupti();
  std::unique_lock lock(c.lock);
  std::vector<Pending> open;
  for (const auto& p : c.over_disable)
    if (p.kind == kind) open.push_back(p);
  std::erase_if(c.over_disable, [kind](const Pending& p) { return p.kind == kind; });
  for (auto& p : open) {
    const auto time = monotonic();
    if (p.end_offset) std::memcpy(p.record.data() + p.end_offset, &time, sizeof time);
    write(p.record, p.lane, lock);
  }
}

const Tap tap{&begin, &end, &operation, &context, &going};

void listen(bool on) {
  using Listen = void (*)(const Tap*, std::uint64_t (*)());
  static const auto set = reinterpret_cast<Listen>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "fake_cuda_tap"));
  if (set) set(on ? &tap : nullptr, &monotonic);
}

}  // namespace

extern "C" {
#define ENTER(name) \
  if (const auto no = entered(name)) return no

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const char* text = std::getenv("FAKE_CUPTI_VERSION");
  return *version = text ? static_cast<std::uint32_t>(std::atoi(text)) : CUPTI_API_VERSION, CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  static thread_local char buffer[40];
  std::snprintf(buffer, sizeof buffer, "CUPTI_ERROR_%d", static_cast<int>(result));
  return *text = buffer, CUPTI_SUCCESS;
}
/// FAKE_CUPTI_TOO_NEW=13: the driver is too old for the library of that name.
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* user_data) {
  ENTER("cuptiSubscribe");
  Dl_info self{};
  const char* too_new = std::getenv("FAKE_CUPTI_TOO_NEW");
  if (too_new && dladdr(reinterpret_cast<void*>(&going), &self) &&
      std::string(self.dli_fname).find(std::string(".so.") + too_new) != std::string::npos)
    return CUPTI_ERROR_NOT_INITIALIZED;
  cupti().user_data = user_data;
  if (std::getenv("FAKE_CUPTI_INITS")) {
    const auto init = reinterpret_cast<CUresult (*)(unsigned)>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY), "cuInit"));
    if (init) init(0);
  }
  if (cupti().subscribed || std::getenv("FAKE_CUPTI_BUSY")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  cupti().subscribed = true;
  cupti().callback = callback;
  return *handle = reinterpret_cast<CUpti_SubscriberHandle>(&cupti()), CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  ENTER("cuptiUnsubscribe");
  if (!cupti().subscribed) violation("unsubscribed without a subscription");
  // activities go on: they need no subscription
  cupti().subscribed = false;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
  ENTER("cuptiEnableCallback");
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
    cupti().contexts_are_told = on != 0;
  const std::lock_guard lock(cupti().lock);
  if (on)
    cupti().told_calls.insert({domain, id});
  else
    cupti().told_calls.erase({domain, id});
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function) {
  ENTER("cuptiActivityRegisterTimestampCallback");
  if (cupti().ever_enabled) violation("a clock is given after activities were enabled");
  return stamp = function, CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  ENTER("cuptiActivityRegisterCallbacks");
  auto& c = cupti();
  c.request = request;
  c.complete = complete;
  c.registered = true;
  if (!c.worker.joinable()) {
    c.worker = std::thread(&work);
    c.worker.detach();
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  ENTER("cuptiSetThreadIdType");
  return system_thread_ids = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM, CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id, const char** name) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
    for (const auto& call : named_calls)
      if (call.id == id) return *name = call.name, CUPTI_SUCCESS;
  return CUPTI_ERROR_INVALID_PARAMETER;
}
/// Since 12.5.
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId id, std::uint8_t on) {
  ENTER("cuptiActivityEnableDriverApi");
  if (setting("FAKE_CUPTI_VERSION") == 18) return CUPTI_ERROR_NOT_COMPATIBLE;
  const std::lock_guard lock(cupti().lock);
  if (on)
    cupti().recorded_calls.insert(id);
  else
    cupti().recorded_calls.erase(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t*, void* value) {
  ENTER("cuptiActivitySetAttribute");
  if (attribute == CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER) {
    if (cupti().registered) violation("an attribute is set after the buffer callbacks");
    per_thread = *static_cast<std::uint8_t*>(value) != 0;
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushPeriod(std::uint32_t) {
  ENTER("cuptiActivityFlushPeriod");
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  ENTER("cuptiActivityEnable");
  auto& c = cupti();
  if (!c.registered) violation("an activity is enabled before the buffer callbacks are registered");
  c.ever_enabled = true;
  bool first = false;
  {
    const std::lock_guard lock(c.lock);
    first = c.enabled.empty();
    c.enabled.insert(kind);
  }
  end_what_was_open(kind);
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) devices();
  if (first) listen(true);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  ENTER("cuptiActivityDisable");
  auto& c = cupti();
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    if (setting("FAKE_CUPTI_VERSION") == 130000) violation("kernels are switched off: 13.0.0 may wait for itself");
    c.kernels_were_disabled = true;
  }
  const std::lock_guard lock(c.lock);
  c.enabled.erase(kind);
  const auto is_of_kind = [kind](const Pending& p) { return p.kind == kind; };
  for (auto& p : c.pending)
    if (is_of_kind(p)) c.over_disable.push_back(p);
  std::erase_if(c.pending, is_of_kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  ENTER("cuptiActivityFlushAll");
  auto& c = cupti();
  if (!c.has_context) violation("flushed where nothing uses CUDA");
  const bool forced = (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0;
  if (std::getenv("FAKE_CUPTI_SILENT") || (std::getenv("FAKE_CUPTI_KEEPS") && !forced)) return CUPTI_SUCCESS;
  if (c.kernels_were_disabled && setting("FAKE_CUPTI_VERSION") == 130000) {
    violation("flushed with kernels switched off: 13.0.0 crashes");
    std::abort();
  }
  std::unique_lock lock(c.lock);
  c.changed.wait(lock, [&] { return c.settling == 0; });
  settle(forced, lock);
  deliver(forced ? Which::all : Which::complete, lock);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(cupti().lock);
  return *dropped = cupti().dropped, cupti().dropped = 0, CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
  crash_if_destroyed();
  std::size_t at = 0;
  if (*record) {
    const auto* before = reinterpret_cast<std::uint8_t*>(*record) - 8;
    std::uint64_t length = 0;
    std::memcpy(&length, before, sizeof length);
    at = static_cast<std::size_t>(before - buffer) + length;
  }
  if (at >= valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  return *record = reinterpret_cast<CUpti_Activity*>(buffer + at + 8), CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
  ENTER("cuptiActivityPushExternalCorrelationId");
  return external()[kind].push_back(id), CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t* last) {
  ENTER("cuptiActivityPopExternalCorrelationId");
  auto& stack = external()[kind];
  if (stack.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  if (last) *last = stack.back();
  return stack.pop_back(), CUPTI_SUCCESS;
}
CUptiResult cuptiFinalize() {
  return violation("cuptiFinalize"), CUPTI_SUCCESS;
}
}
