// SPDX-License-Identifier: BSD-3-Clause
// Subscribes to CUPTI, lends it buffers, and gives up for good at the first error.
#include "device/cupti/provider.hpp"

#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>

#include "device/cupti/api.hpp"
#include "device/cupti/buffers.hpp"
#include "device/cupti/convert.hpp"
#include "device/cupti/cuda_devices.hpp"
#include "device/cupti/kinds.hpp"

namespace tracer::device::cupti {
namespace {

class Provider;
std::atomic<Provider*> current{nullptr};
std::atomic<bool> recording{false};  // false: the hooks do nothing
std::atomic<bool> ended{false};      // CUPTI's own exit handlers run next, or have run: calling it crashes
thread_local unsigned pushed = 0;    // ids of this thread that CUPTI has

std::uint64_t CUPTIAPI on_timestamp() {
  return monotonic();
}

class Provider final : public DeviceProvider {
 public:
  Provider(DeviceSink& sink, const ProviderOptions& options)
      : sink_(sink),
        options_(options),
        buffers_(options.buffer_bytes, options.memory_bytes),
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
              "cuptiActivityPushExternalCorrelationId"))
      ++pushed;
  }
  void pop() noexcept {
    --pushed;
    std::uint64_t last = 0;
    check(api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), "cuptiActivityPopExternalCorrelationId");
  }
  void flush_at_exit() noexcept;
  void flush_before_exit() noexcept;

 private:
  /// `waiting`: for a library of CUDA to be loaded. `off` is final.
  enum class State { waiting, running, off };
  DeviceAnswer start() noexcept;
  bool enable_all() noexcept;
  void refuse(std::string reason) noexcept;
  void leave() noexcept;
  bool alive() const noexcept { return !ended && driver_is_alive(api_); }
  bool usable() noexcept { return state_ == State::running && !failed_ && alive(); }
  bool check(CUptiResult result, const char* what) noexcept;
  void drain() noexcept;
  void await_buffers() noexcept;
  void parse(const Buffers::Delivered& delivered);

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

  std::recursive_mutex state_lock_;  // converter, devices; never held while CUPTI is called
  CudaDevices devices_;
  Converter converter_;
};

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = nullptr;
  *size = 0;
  if (auto* provider = current.load()) provider->request(buffer, size, records);
}
void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                          std::size_t valid) {
  if (auto* provider = current.load()) provider->complete(context, stream, buffer, valid);
}
/// A context was made: the driver has started.
void CUPTIAPI on_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
  if (auto* provider = current.load()) provider->flush_at_exit();
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
/// was loaded before CUPTI and ends after it: finish() is called too late, and the driver's state does not show it in a
/// program that never used CUDA (CUPTI 13.0.1 crashes in cuptiActivityDisable).
void at_cupti_end() {
  at_exit();
  ended = true;
}
/// The child has no device and no thread of CUPTI's.
void in_child() {
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
  for (const auto& [kind, needed] : kinds) {
    const auto result = api_.enable(kind);
    if (!needed && is_missing(result))
      sink_.count("device.cupti_kinds_missing", 1);
    else if (!check(result, "cuptiActivityEnable"))
      return false;
  }
  return true;
}

/// Gives CUPTI's single subscription back, so that others can have it; whatever it answers.
void Provider::leave() noexcept {
  if (!subscriber_ || left_.exchange(true) || !alive()) return;
  for (const auto& [kind, needed] : kinds) api_.disable(kind);
  api_.unsubscribe(subscriber_);
}

/// In prepare(), or later when a library of CUDA has come: contexts and modules that are there already are recorded as
/// well.
DeviceAnswer Provider::start() noexcept {
  const std::lock_guard lock(start_lock_);
  if (state_ == State::running) return {true, "CUPTI"};
  if (state_ == State::off) return {false, reason_.c_str()};
  state_ = State::off;
  if (options_.api) {
    api_ = *options_.api;
  } else if (const char* reason = load(api_)) {
    refuse(reason);
    return {false, reason};
  }
  if (!check(api_.subscribe(&subscriber_, on_callback, nullptr), "cuptiSubscribe")) {
    subscriber_ = nullptr;
    return {false, reason_.c_str()};
  }
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

void Provider::pause(bool on) noexcept {
  if (!usable()) return;
  if (on) {
    recording = false;
    for (const auto& [kind, needed] : kinds) api_.disable(kind);
  } else {
    recording = enable_all();
  }
}

/// NVIDIA devices are called "sm_90" by libomptarget.
DeviceAnswer Provider::open(const DeviceDescription& device, DeviceInfo& info) noexcept try {
  const bool nvidia = device.type.substr(0, 3) == "sm_" || device.type.find("nvptx") != std::string_view::npos;
  if (state_ == State::waiting) {
    if (!nvidia) return {false, "nothing in the process uses CUDA"};
    start();
  }
  if (failed_ || state_ == State::off) return {false, reason_.c_str()};
  if (!nvidia) return {false, "not an NVIDIA device"};
  flush_at_exit();
  const std::lock_guard lock(state_lock_);
  devices_.open(device.number, api_, info);
  return {true, "CUPTI"};
} catch (...) {
  return {false, "no memory"};
}

void Provider::request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) noexcept {
  *records = 0;
  *buffer = buffers_.lend();
  *size = *buffer ? buffers_.bytes() : 0;
  if (!*buffer) sink_.count("device.buffers_refused", 1);
}

void Provider::complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid) noexcept {
  std::size_t dropped = 0;
  if (api_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS && dropped) {
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
  each([&](const CUpti_Activity& activity) { converter_.learn(activity); });
  each([&](const CUpti_Activity& activity) { converter_.take(activity); });
  converter_.flush();
}

void Provider::drain() noexcept {
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

/// A thread of CUPTI's own may be handing over what a flush does not find any more. How long what CUPTI keeps for good
/// is waited for is a compromise.
void Provider::await_buffers() noexcept {
  constexpr timespec nap{0, 1'000'000};
  for (int naps = 0; naps < 50 && buffers_.lent() > 0; ++naps) ::nanosleep(&nap, nullptr);
}

/// Only complete buffers are delivered; never waits for the device.
void Provider::flush() noexcept {
  if (usable() && driver_runs(api_)) check(api_.flush_all(0), "cuptiActivityFlushAll");
}

/// Exit handlers run last to first, and what is registered once CUDA is in use runs before the driver's own handler.
/// The runtime's finalize, where finish() is called from, comes after it in a program that uses CUDA without target
/// constructs.
void Provider::flush_at_exit() noexcept {
  if (!has_exit_handler_.exchange(true)) std::atexit(&at_exit);
}

void Provider::flush_before_exit() noexcept {
  if (usable() && driver_runs(api_)) check(api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  drain();
}

void Provider::poll() noexcept {
  if (state_ == State::waiting && libraries_.cuda_came()) start();
  if (failed_) leave();
  if (state_ != State::running) return;
  drain();
  const std::lock_guard lock(state_lock_);
  devices_.read_clocks_in_time();
}

void Provider::close(std::int32_t number) noexcept {
  if (state_ != State::running) return;
  flush_before_exit();
  const std::lock_guard lock(state_lock_);
  devices_.read_clocks(number);
}

void Provider::finish() noexcept {
  {
    const std::lock_guard lock(start_lock_);
    recording = false;
    if (state_.exchange(State::off) != State::running) return;
  }
  if (!failed_ && alive()) {
    for (const auto& [kind, needed] : kinds) api_.disable(kind);
    if (driver_runs(api_) && check(api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll"))
      await_buffers();
  }
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
