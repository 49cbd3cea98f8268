// SPDX-License-Identifier: BSD-3-Clause
// A libcupti.so.13 over the fake driver: activity records of the real structs in buffers that the tool lends. What the
// documentation forbids is said on stderr as "fake cupti: ...". This file: what CUPTI exports; beside it buffers,
// records.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "support/fake_cuda/profiler.hpp"

namespace tracer::test::fake_cuda {

std::atomic<std::uint64_t (*)()> stamp{&monotonic};
std::atomic<bool> system_thread_ids{false}, torn_down{false};

void violation(const char* what) {
  std::fprintf(stderr, "fake cupti: %s\n", what);
}

Cupti& cupti() {
  static auto* state = new Cupti;  // outlives every thread
  return *state;
}

/// By kind. Never destroyed: exit handlers come after the thread's own variables.
std::map<int, std::vector<std::uint64_t>>& external() {
  static thread_local auto* stacks = new std::map<int, std::vector<std::uint64_t>>;
  return *stacks;
}

bool wants(CUpti_ActivityKind kind) {
  if (setting("FAKE_CUPTI_MUTE") == static_cast<unsigned>(kind)) return false;
  const std::lock_guard lock(cupti().lock);
  return cupti().enabled.count(kind) != 0;
}

}  // namespace tracer::test::fake_cuda

using namespace tracer::test::fake_cuda;

namespace {

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
  if (is_inside_callback()) violation("called from a buffer callback");
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
  if (too_new && dladdr(reinterpret_cast<void*>(&destroy), &self) &&
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
  const NamedCall* const call = domain == CUPTI_CB_DOMAIN_DRIVER_API ? call_of(id) : nullptr;
  if (call == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  return *name = call->name, CUPTI_SUCCESS;
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
/// Before the driver has started it refuses.
CUptiResult cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig* config,
                                                       std::uint32_t count) {
  ENTER("cuptiActivityConfigureUnifiedMemoryCounter");
  if (!config) return CUPTI_ERROR_INVALID_PARAMETER;
  if (!cupti().has_context) return CUPTI_ERROR_NOT_INITIALIZED;
  if (is_told_of_context()) violation("unified memory is configured while a context is made");
  const std::lock_guard lock(cupti().lock);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (config[i].enable)
      cupti().unified_counters.insert(config[i].kind);
    else
      cupti().unified_counters.erase(config[i].kind);
  }
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
    if (kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && c.unified_counters.empty())
      violation("unified memory is enabled before its counters");
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
