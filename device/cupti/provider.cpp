// SPDX-License-Identifier: BSD-3-Clause
// Subscribes to CUPTI, lends it buffers, and gives up for good at the first error.
#include "device/cupti/provider.hpp"

#include <pthread.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "device/cupti/api.hpp"
#include "device/cupti/buffers.hpp"
#include "device/cupti/call_regions.hpp"
#include "device/cupti/calls.hpp"
#include "device/cupti/convert.hpp"
#include "device/cupti/cuda_devices.hpp"
#include "device/cupti/gate.hpp"
#include "device/cupti/kinds.hpp"
#include "device/cupti/libraries.hpp"
#include "device/cupti/silence.hpp"

namespace tracer::device::cupti {
namespace {

class Provider;
std::atomic<Provider*> current{nullptr};
std::atomic<bool> recording{false};  // false: the hooks do nothing
Gate gate;
thread_local unsigned pushed = 0;  // ids of this thread that CUPTI has

std::uint64_t CUPTIAPI on_timestamp() {
  return monotonic();
}

class Provider final : public DeviceProvider {
 public:
  Provider(DeviceSink& sink, const ProviderOptions& options)
      : sink_(sink),
        options_(options),
        buffers_(options.buffer_bytes, options.memory_bytes),
        call_regions_(sink),
        devices_(sink, options.clock),
        converter_(
            sink, [this](std::uint32_t device) { return devices_.number_of(device); },
            [this](std::uint32_t id, CudaDevice device) { devices_.describe(id, std::move(device)); }) {}
  ~Provider() override;

  DeviceProviderKind kind() const noexcept override { return DeviceProviderKind::cupti; }
  DeviceAnswer prepare() noexcept override;
  DeviceAnswer open(const DeviceDescription& device, DeviceInfo& info) noexcept override;
  void close(std::int32_t number) noexcept override;
  OperationHooks hooks() const noexcept override;
  void pause(bool on) noexcept override;
  void flush() noexcept override;
  void poll() noexcept override;
  void finish() noexcept override;

  void request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) noexcept;
  void complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) noexcept;
  void push(HostOpId id) noexcept {
    if (check(api_.push_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id),
              "cuptiActivityPushExternalCorrelationId")) {
      ++pushed;
      silence_.asked();
    }
  }
  void pop() noexcept {
    --pushed;
    std::uint64_t last = 0;
    check(api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), "cuptiActivityPopExternalCorrelationId");
  }
  void tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept;
  void flush_at_exit() noexcept;
  void flush_before_exit() noexcept;

 private:
  /// `waiting`: for a library of CUDA to be loaded. `off` is final.
  enum class State { waiting, running, off };
  DeviceAnswer start() noexcept;
  bool subscribe() noexcept;
  bool enable_all() noexcept;
  void disable_all() noexcept;
  bool flush_all(std::uint32_t flag) noexcept;
  void flush_in_time() noexcept;
  void refuse(std::string reason) noexcept;
  bool is_cuda_device(const DeviceDescription& device) noexcept;
  void leave() noexcept;
  /// Each call into CUPTI, but those of the hooks, stands inside a Gate::Pass and behind this.
  bool alive() const noexcept { return !gate.is_closed() && driver_is_alive(api_); }
  bool usable() noexcept { return state_ == State::running && !failed_ && alive(); }
  bool check(CUptiResult result, const char* what) noexcept;
  void drain() noexcept;
  void fetch_rest(bool last) noexcept;
  void parse(const Buffers::Delivered& delivered);
  void count_calls(const Buffers::Delivered& delivered);

  DeviceSink& sink_;
  const ProviderOptions options_;
  Api api_{};
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::mutex start_lock_;
  std::atomic<State> state_{State::waiting};
  std::atomic<bool> failed_{false}, left_{false};
  std::mutex reason_lock_;
  std::string reason_ = "CUPTI failed";  // why not; never changed again once it was handed out
  bool refused_ = false;
  LateLibraries libraries_;
  std::atomic<bool> has_exit_handler_{false};
  Buffers buffers_;
  RecordedCalls recorded_calls_;
  CallRegions call_regions_;
  Silence silence_;
  std::uint64_t last_flush_ = 0;  // the drainer's

  std::recursive_mutex state_lock_;  // converter, devices; never held while CUPTI is called
  CudaDevices devices_;
  Converter converter_;
};

/// CUPTI may ask as long as the process lives, and crashes on NULL before 12.9.
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
  if (auto* provider = current.load()) provider->tell(domain, id, data);
}

void begin_operation(HostOpId id) noexcept {
  if (recording.load(std::memory_order_relaxed)) current.load(std::memory_order_relaxed)->push(id);
}
/// What was pushed before a pause is popped all the same.
void end_operation() noexcept {
  if (pushed) current.load(std::memory_order_relaxed)->pop();
}
void at_exit() {
  if (auto* provider = current.load()) provider->flush_before_exit();
}
/// Registered once CUPTI has started, so that it runs before CUPTI's own handlers and destructors. The OpenMP runtime
/// was loaded before CUPTI and ends after it: its finalize comes too late, and the driver's state does not show it in a
/// program that never used CUDA (CUPTI 13.0.1 crashes in cuptiActivityDisable).
void at_cupti_end() {
  at_exit();
  recording = false;
  gate.close();
}
/// The child has no device and no thread of CUPTI's: a flush there never returns.
void in_child() {
  gate.reset();
  recording = false;
  pushed = 0;
  current = nullptr;
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
    sink_.message("CUPTI is switched off after an error");
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
}

/// Gives CUPTI's single subscription back, so that others can have it; whatever it answers.
void Provider::leave() noexcept {
  const Gate::Pass pass(gate);
  if (!subscriber_ || left_.exchange(true) || !alive()) return;
  disable_all();
  api_.unsubscribe(subscriber_);
}

/// Of several libraries the first that takes a subscriber: one that is newer than the driver does not. Where another
/// subscriber is the reason, it is so for all.
bool Provider::subscribe() noexcept try {
  const auto names = options_.api ? std::vector<std::string>{""} : names_of_cupti();
  const Api driver = api_;
  const char* reason = not_there;
  auto result = CUPTI_SUCCESS;
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
    if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) break;
  }
  subscriber_ = nullptr;
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
/// well.
DeviceAnswer Provider::start() noexcept {
  const std::lock_guard lock(start_lock_);
  if (state_ == State::running) return {true, "CUPTI"};
  if (state_ == State::off) return {false, reason_.c_str()};
  state_ = State::off;
  if (!options_.api) {
    if (const char* reason = load_driver(api_)) {
      refuse(reason);
      return {false, reason};
    }
  }
  if (!subscribe()) return {false, reason_.c_str()};
  if (api_.enable_callback)
    api_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  if (api_.set_thread_ids) api_.set_thread_ids(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  if (!check(api_.register_timestamp(on_timestamp), "cuptiActivityRegisterTimestampCallback") ||
      !check(api_.register_callbacks(on_request, on_complete), "cuptiActivityRegisterCallbacks") || !enable_all()) {
    leave();
    return {false, reason_.c_str()};
  }
  ::pthread_atfork(nullptr, nullptr, &in_child);
  std::atexit(&at_cupti_end);
  int count = 0;
  if (api_.device_count && api_.device_count(&count) == CUDA_SUCCESS)
    flush_at_exit();  // the driver has started before us
  if (options_.calls) call_regions_.enable(api_, subscriber_, true);
  last_flush_ = monotonic();
  state_ = State::running;
  recording = true;
  return {true, "CUPTI"};
}

DeviceAnswer Provider::prepare() noexcept {
  if (options_.api || options_.insist || process_may_use_cuda()) return start();
  return {false, "nothing in the process uses CUDA"};
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
  if (state_ == State::waiting) {
    if (!nvidia) return {false, "nothing in the process uses CUDA"};
    start();
  }
  if (failed_ || state_ == State::off) return {false, reason_.c_str()};
  if (!nvidia && !is_cuda_device(device)) return {false, "not an NVIDIA device"};
  flush_at_exit();
  const std::lock_guard lock(state_lock_);
  devices_.open(device.number, api_, info);
  return {true, "CUPTI"};
} catch (...) {
  return {false, "no memory"};
}

/// A context was made: the driver has started. Or the program calls CUDA.
void Provider::tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) return flush_at_exit();
  if (data && (domain == CUPTI_CB_DOMAIN_DRIVER_API || domain == CUPTI_CB_DOMAIN_RUNTIME_API))
    call_regions_.callback(domain, id, *static_cast<const CUpti_CallbackData*>(data), recording);
}

void Provider::request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) noexcept {
  const auto lent = buffers_.lend();
  *buffer = lent.memory;
  *size = lent.bytes;
  *records = 0;
  if (lent.is_scrap && state_ == State::running) sink_.count("device.buffers_refused", 1);
}

void Provider::complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) noexcept {
  std::size_t dropped = 0;
  const Gate::Pass pass(gate);
  if (pass && api_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS && dropped) {
    sink_.count("device.records_lost", dropped);
    DeviceRecord lost{};
    lost.kind = DeviceRecordKind::lost;
    lost.bytes = dropped;
    lost.end = options_.clock();
    lost.provider = DeviceProviderKind::cupti;
    sink_.records({&lost, 1});
  }
  if (buffer && buffers_.complete(buffer, valid)) sink_.wake();
}

void Provider::parse(const Buffers::Delivered& delivered) {
  const auto each = [&](auto take) {
    CUpti_Activity* activity = nullptr;
    while (api_.next_record(delivered.memory, delivered.valid, &activity) == CUPTI_SUCCESS) take(*activity);
  };
  if (delivered.is_scrap) {
    std::uint64_t lost = 0;
    each([&](const CUpti_Activity& activity) { lost += Converter::is_of_device(activity); });
    if (lost) sink_.count("device.records_lost", lost);
    return;
  }
  silence_.heard();
  each([&](const CUpti_Activity& activity) { converter_.learn(activity); });
  each([&](const CUpti_Activity& activity) { converter_.take(activity); });
  converter_.flush();
  if (!options_.calls) count_calls(delivered);
}

/// Those that have no region of their own.
void Provider::count_calls(const Buffers::Delivered& delivered) {
  std::array<std::uint64_t, call_kinds> counts{};
  std::unordered_set<std::uint32_t> seen;
  CUpti_Activity* activity = nullptr;
  while (api_.next_record(delivered.memory, delivered.valid, &activity) == CUPTI_SUCCESS) {
    if (activity->kind != CUPTI_ACTIVITY_KIND_DRIVER && activity->kind != CUPTI_ACTIVITY_KIND_RUNTIME) continue;
    const auto& call = *reinterpret_cast<const ApiCall*>(activity);
    const auto kind = recorded_calls_.kind(call);
    // the runtime's call and the driver's inside it have one id
    if (kind != CallKind::other && seen.insert(call.correlationId).second) ++counts[static_cast<std::size_t>(kind)];
  }
  for (std::size_t kind = 1; kind < call_kinds; ++kind) {
    char name[40];
    std::snprintf(name, sizeof name, "device.calls_%s", name_of(static_cast<CallKind>(kind)));
    if (counts[kind]) sink_.count(name, counts[kind]);
  }
}

void Provider::drain() noexcept {
  const Gate::Pass pass(gate);
  if (!pass) return;
  const std::lock_guard state(state_lock_);
  while (const auto next = buffers_.next()) {
    try {
      parse(*next);
    } catch (...) {
      sink_.count("device.buffers_unreadable", 1);
    }
    buffers_.give_back(next->memory);
  }
}

bool Provider::flush_all(std::uint32_t flag) noexcept {
  return check(api_.flush_all(flag), "cuptiActivityFlushAll");
}

/// A flush brings buffers in which nothing is open; what the device is still at is waited for a little, and a thread of
/// CUPTI's own may be handing over what a flush does not find any more. The `last` one takes the rest as it is: what is
/// open then has no end, and never gets one.
void Provider::fetch_rest(bool last) noexcept {
  constexpr timespec nap{0, 1'000'000};
  constexpr int most_naps = 200, naps_between = 20;
  for (int naps = 0; naps < most_naps; ++naps) {
    if (naps % naps_between == 0 && !flush_all(0)) return;
    if (buffers_.lent() == 0) return;
    ::nanosleep(&nap, nullptr);
  }
  if (!last || !flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)) return;
  for (int naps = 0; naps < naps_between && buffers_.lent() > 0; ++naps) ::nanosleep(&nap, nullptr);
}

/// Only buffers whose records are all complete are delivered, full or not; never waits for the device.
void Provider::flush() noexcept {
  const Gate::Pass pass(gate);
  if (usable() && driver_runs(api_)) flush_all(0);
}

/// What CUPTI has a killed program loses: once a second it is fetched, and is then in the raw trace.
void Provider::flush_in_time() noexcept {
  constexpr std::uint64_t period = 1'000'000'000;
  const auto time = monotonic();
  const Gate::Pass pass(gate);
  if (!has_exit_handler_ || !recording || time - last_flush_ < period || !usable() || !driver_runs(api_)) return;
  last_flush_ = time;
  flush_all(0);
  if (silence_.is_new(time))
    sink_.message(
        "CUPTI brings no records any more, though the program uses its device (another profiler may have taken it): "
        "the host's intervals stand in");
}

/// Exit handlers run last to first, and what is registered once CUDA is in use runs before the driver's own handler.
/// The runtime's finalize, where finish() is called from, comes after it in a program that uses CUDA without target
/// constructs.
void Provider::flush_at_exit() noexcept {
  if (!has_exit_handler_.exchange(true)) std::atexit(&at_exit);
}

void Provider::flush_before_exit() noexcept {
  const Gate::Pass pass(gate);
  if (usable() && driver_runs(api_)) fetch_rest(true);
  drain();
}

void Provider::poll() noexcept {
  if (state_ == State::waiting && libraries_.cuda_came()) start();
  if (failed_) leave();
  if (state_ != State::running) return;
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
  {
    const std::lock_guard lock(start_lock_);
    recording = false;
    if (state_.exchange(State::off) != State::running) return;
  }
  const Gate::Pass pass(gate);
  // before kinds are switched off: what is open then is lost
  if (!failed_ && alive() && driver_runs(api_)) fetch_rest(true);
  leave();
  drain();
  if (const auto n = buffers_.lent()) sink_.count("device.buffers_left_with_cupti", n);
  const std::lock_guard lock(state_lock_);
  devices_.read_all_clocks();
}

/// Buffers that CUPTI still has are left to it.
Provider::~Provider() {
  finish();
  Provider* self = this;
  if (current.compare_exchange_strong(self, nullptr)) buffers_.release();
}

}  // namespace

std::unique_ptr<DeviceProvider> make_provider(DeviceSink& sink, const ProviderOptions& options) noexcept try {
  auto provider = std::make_unique<Provider>(sink, options);
  Provider* none = nullptr;
  if (!current.compare_exchange_strong(none, provider.get())) return nullptr;
  return provider;
} catch (...) {
  return nullptr;
}

}  // namespace tracer::device::cupti
