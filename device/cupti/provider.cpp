// SPDX-License-Identifier: BSD-3-Clause
// Subscribes to CUPTI, lends it buffers, and gives up for good at the first error.
#include "device/cupti/provider.hpp"

#include <time.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "device/cupti/kinds.hpp"
#include "device/cupti/libraries.hpp"
#include "device/cupti/provider_state.hpp"
#include "device/cupti/unified_memory.hpp"

namespace tracer::device::cupti {
namespace {

std::uint64_t CUPTIAPI on_timestamp() {
  return monotonic();
}

/// CUPTI may request one as long as the process lives, and crashes on NULL before 12.9.
void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  if (auto* provider = current.load()) return provider->request(buffer, size, records);
  const auto nobodys = nobodys_buffer();
  *buffer = nobodys.memory;
  *size = nobodys.bytes;
  *records = 0;
}
void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  if (auto* provider = current.load()) provider->complete(context, stream, buffer, valid);
}
void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (auto* provider = current.load()) provider->notify(domain, id, data);
}

void begin_operation(HostOpId id) noexcept {
  if (recording.load(std::memory_order_relaxed)) current.load(std::memory_order_relaxed)->push(id);
}
/// What was pushed before a pause is popped all the same.
void end_operation() noexcept {
  if (pushed && !gate.is_closed()) current.load(std::memory_order_relaxed)->pop();
}
/// Registered once CUPTI has started, so that it runs before CUPTI's own handlers and destructors. The OpenMP runtime
/// was loaded before CUPTI and ends after it: its finalize comes too late, and the driver's state does not show it in a
/// program that never used CUDA (CUPTI 13.0.1 crashes in cuptiActivityDisable).
void at_cupti_end() {
  at_exit();
  recording = false;
  gate.close();
}

constexpr const char* being_started = "CUPTI is being started";

}  // namespace

void at_exit() noexcept {
  if (auto* provider = current.load()) provider->flush_before_exit();
}

void Provider::refuse(std::string reason) noexcept {
  const std::lock_guard lock(reason_lock_);
  if (refused_) return;
  refused_ = true;
  reason_ = std::move(reason);
}

/// The first error ends it: without a driver every further call would cost 20 us. An empty stack
/// (recording began between a begin and its end) is none.
bool Provider::check(CUptiResult result, const char* what) noexcept {
  if (result == CUPTI_SUCCESS || result == CUPTI_ERROR_QUEUE_EMPTY) return true;
  recording = false;
  if (failed_.exchange(true)) return false;
  const char* text = nullptr;
  api_.get_result_string(result, &text);
  try {
    std::string reason = std::string("CUPTI is switched off: ") + what + " answered " + (text ? text : "an error") +
                         " (" + std::to_string(static_cast<int>(result)) + ")";
    sink_.message(reason);
    refuse(std::move(reason));
  } catch (...) {
    sink_.message("CUPTI disabled after an error");
  }
  return false;
}

bool Provider::enable_all() noexcept {
  for (const auto& [kind, needed, of_device] : kinds) {
    const auto result = api_.enable(kind);
    if (!needed && is_missing(result))
      sink_.count("device.cupti_kinds_missing", 1);
    else if (!check(result, "cuptiActivityEnable"))
      return false;
  }
  return check(recorded_calls_.enable(api_), "cuptiActivityEnable");
}

/// What is still open when kinds are switched off is lost: after a flush. Kernels stay on where switching them off may
/// never return.
void Provider::disable_all() noexcept {
  recorded_calls_.disable(api_);
  for (const auto& [kind, needed, of_device] : kinds) {
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && api_.version == version_that_deadlocks) continue;
    api_.disable(kind);
  }
  if (has_unified_memory_) api_.disable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
}

/// When CUDA is in use, until CUPTI has decided, and from no callback of CUPTI's: the driver may hold locks there. What
/// does not have it is done without.
void Provider::ask_for_unified_memory() noexcept {
  if (!has_exit_handler_ || asked_for_unified_memory_) return;
  const Gate::Pass pass(gate);
  if (!usable() || !driver_runs(api_) || asked_for_unified_memory_.exchange(true)) return;
  const CUptiResult answer = enable_unified_memory(api_);
  has_unified_memory_ = answer == CUPTI_SUCCESS;
  if (has_unified_memory_ && left_) api_.disable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);  // leave() came meanwhile
  if (answer == CUPTI_ERROR_NOT_INITIALIZED)
    asked_for_unified_memory_ = false;  // the next time
  else if (answer != CUPTI_SUCCESS)
    sink_.count("device.cupti_kinds_missing", 1);
}

/// A profiler of the program's own is not to find the single subscription taken: records come without it as well. It
/// was needed to learn of the first context.
void Provider::make_room() noexcept {
  if (made_room_ || !has_exit_handler_ || state_ != State::running || !process_has_profiler()) return;
  if (has_call_regions_ && calls_without_region_from_ == 0) calls_without_region_from_ = monotonic();
  call_regions_.stop();
  if (call_regions_.are_open()) return;  // the next time
  const Gate::Pass pass(gate);
  if (!usable()) return;
  made_room_ = true;
  if (has_call_regions_.exchange(false)) sink_.count("device.calls_left_to_another_profiler", 1);
  api_.unsubscribe(subscriber_);
  subscriber_ = nullptr;
}

/// Gives CUPTI's single subscription back, so that others can have it; whatever it answers.
void Provider::leave() noexcept {
  const Gate::Pass pass(gate);
  if ((!subscriber_ && !made_room_) || left_.exchange(true) || !alive()) return;
  disable_all();
  if (subscriber_) api_.unsubscribe(subscriber_);
}

/// Of several libraries the first that takes a subscriber: one that is newer than the driver does not. Where another
/// subscriber is the reason, it is so for all.
bool Provider::subscribe() noexcept try {
  const auto names = options_.api ? std::vector<std::string>{""} : names_of_cupti();
  const Api driver = api_;
  const char* reason = not_there;
  auto result = CUPTI_SUCCESS;
  Api refusing{};
  for (const auto& name : names) {
    api_ = driver;
    if (options_.api) {
      api_ = *options_.api;
    } else if (const char* no = load(api_, name.c_str())) {
      if (no != not_there) reason = no;
      continue;
    }
    subscriber_ = nullptr;
    result = api_.subscribe(&subscriber_, on_callback, nullptr);
    if (result == CUPTI_SUCCESS) return true;
    refusing = api_;
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) break;
  }
  subscriber_ = nullptr;
  api_ = refusing;
  if (result == CUPTI_SUCCESS)
    refuse(reason);
  else
    check(result, "cuptiSubscribe");
  return false;
} catch (...) {
  refuse("no memory");
  return false;
}

/// In prepare(), or later when a library of CUDA has come: contexts and modules that are there already are recorded as
/// well. `driver_starts`: inside of cuInit. Whoever comes while another thread starts CUPTI goes on: CUPTI may start
/// the driver, or wait until another thread has, and the driver calls the tool from its start.
DeviceAnswer Provider::start(bool driver_starts) noexcept {
  auto state = State::waiting;
  if (state_.compare_exchange_strong(state, State::starting)) {
    const auto end = begin(driver_starts) ? State::running : State::off;
    recording = end == State::running;
    state = State::starting;
    if (state_.compare_exchange_strong(state, end))
      state = end;
    else
      recording = false;  // finish() has come meanwhile
  }
  if (state == State::off) return {false, reason_.c_str()};
  return {true, state == State::running ? "CUPTI" : being_started};
}

/// Not for ever: the thread that starts CUPTI may wait for what the caller holds (the loader's lock).
void Provider::await_start() const noexcept {
  constexpr timespec nap{0, 1'000'000};
  constexpr int most_naps = 2000;
  for (int naps = 0; naps < most_naps && state_ == State::starting; ++naps) ::nanosleep(&nap, nullptr);
}

/// False, with the reason in `reason_`. No lock is held here, nor registered what a thread that forks may wait for.
bool Provider::begin(bool driver_starts) noexcept {
  if (!options_.api) {
    if (const char* reason = load_driver(api_)) {
      refuse(reason);
      return false;
    }
  }
  if (!subscribe()) return false;
  if (api_.enable_callback)
    api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  if (api_.set_thread_ids) api_.set_thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (!check(api_.register_timestamp(on_timestamp), "cuptiActivityRegisterTimestampCallback") ||
      !check(api_.register_callbacks(on_request, on_complete), "cuptiActivityRegisterCallbacks") || !enable_all()) {
    if (!driver_starts) leave();  // else the next poll() does: leaving calls the driver
    return false;
  }
  std::atexit(&at_cupti_end);
  int count = 0;
  if (!driver_starts && api_.device_count && api_.device_count(&count) == CUDA_SUCCESS)
    flush_at_exit();  // the driver has started before us
  has_call_regions_ = options_.calls && !process_has_profiler();
  if (has_call_regions_) call_regions_.enable(api_, subscriber_, true);
  last_flush_ = monotonic();
  return true;
}

DeviceAnswer Provider::prepare() noexcept {
  if (options_.api || options_.insist || process_may_use_cuda()) return start();
  return {false, "the process does not use CUDA"};
}

OperationHooks Provider::hooks() const noexcept {
  if (state_ != State::running || failed_) return {};
  return {&begin_operation, &end_operation};
}

/// What devices do stays on: what belongs to the pause is left out in the end.
void Provider::pause(bool on) noexcept {
  const Gate::Pass pass(gate);
  if (!usable()) return;
  if (on) {
    recording = false;
    if (has_exit_handler_ && driver_runs(api_)) flush_all(0);
    recorded_calls_.disable(api_);
    for (const auto& [kind, needed, of_device] : kinds)
      if (!of_device) api_.disable(kind);
  } else {
    recording = enable_all();
  }
}

/// Of a device that the runtime did not announce: the calling thread is at work with CUDA, which has as many.
bool Provider::is_cuda_device(const DeviceDescription& device) noexcept {
  int count = 0;
  CUdevice mine = 0;
  return device.type.empty() && api_.device_count && api_.device_count(&count) == CUDA_SUCCESS &&
         device.number < count && api_.context_device && api_.context_device(&mine) == CUDA_SUCCESS;
}

/// NVIDIA devices are called "sm_90" by libomptarget.
DeviceAnswer Provider::open(const DeviceDescription& device, DeviceInfo& info) noexcept try {
  const bool nvidia = device.type.substr(0, 3) == "sm_" || device.type.find("nvptx") != std::string_view::npos;
  if (state_ == State::waiting && !nvidia) return {false, "the process does not use CUDA"};
  start();
  await_start();
  if (state_ == State::starting) return {false, being_started};
  if (failed_ || state_ == State::off) return {false, reason_.c_str()};
  if (!nvidia && !is_cuda_device(device)) return {false, "not an NVIDIA device"};
  flush_at_exit();
  ask_for_unified_memory();
  const std::lock_guard lock(state_lock_);
  devices_.open(device.number, api_, info);
  return {true, "CUPTI"};
} catch (...) {
  return {false, "no memory"};
}

/// A context was made: the driver has started, and poll() has to ask for unified memory. Or the program calls CUDA.
void Provider::notify(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    flush_at_exit();
    if (!asked_for_unified_memory_) sink_.wake();
    return;
  }
  const bool of_runtime = domain == CUPTI_CB_DOMAIN_RUNTIME_API;
  if (!data || (!of_runtime && domain != CUPTI_CB_DOMAIN_DRIVER_API)) return;
  const bool ended = call_regions_.callback(domain, id, *static_cast<const CUpti_CallbackData*>(data), recording);
  // an operation of a construct has been counted
  if (ended && recording && pushed == 0) silence_.called(recorded_calls_.kind(of_runtime, id));
}

void Provider::poll() noexcept {
  if (state_ == State::waiting && libraries_.cuda_came()) start();
  if (failed_) leave();
  if (state_ != State::running) return;
  make_room();
  ask_for_unified_memory();
  flush_in_time();
  drain();
  const std::lock_guard lock(state_lock_);
  devices_.read_clocks_in_time();
}

void Provider::close(std::int32_t number) noexcept {
  if (state_ != State::running) return;
  {
    const Gate::Pass pass(gate);
    if (usable() && driver_runs(api_)) fetch_rest(false);
    drain();
  }
  const std::lock_guard lock(state_lock_);
  devices_.read_clocks(number);
}

void Provider::finish() noexcept {
  await_start();
  const auto before = state_.exchange(State::off);
  recording = false;
  if (before != State::running) return;
  const Gate::Pass pass(gate);
  // before kinds are switched off: what is open then is lost
  if (!failed_ && alive() && driver_runs(api_)) fetch_rest(true);
  leave();
  drain();
  if (const auto n = buffers_.lent()) {
    sink_.count("device.buffers_left_with_cupti", n);
    if (made_room_)
      sink_.message(
          "the program's own profiler has taken CUPTI over: what devices did from then on is not recorded; for target "
          "constructs the host's intervals stand in");
  }
  const std::lock_guard lock(state_lock_);
  converter_.finish();
  devices_.read_all_clocks();
}

/// The child has no device and no thread of CUPTI's: a flush there never returns.
bool Provider::leave_to_parent() noexcept {
  gate.reset();
  recording = false;
  pushed = 0;
  current = nullptr;
  return state_ == State::waiting;
}

/// Buffers that CUPTI still has are left to it.
Provider::~Provider() {
  finish();
  Provider* self = this;
  if (current.compare_exchange_strong(self, nullptr)) buffers_.release();
}

std::unique_ptr<DeviceProvider> make_provider(DeviceSink& sink, const ProviderOptions& options) noexcept try {
  auto provider = std::make_unique<Provider>(sink, options);
  Provider* none = nullptr;
  if (!current.compare_exchange_strong(none, provider.get())) return nullptr;
  return provider;
} catch (...) {
  return nullptr;
}

}  // namespace tracer::device::cupti
