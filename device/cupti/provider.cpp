// SPDX-License-Identifier: BSD-3-Clause
// Subscribes to CUPTI, lends it buffers, and gives up for good at the first error.
#include "device/cupti/provider.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "device/cupti/api.hpp"
#include "device/cupti/convert.hpp"

namespace tracer::device::cupti {
namespace {

/// DRIVER is there for the correlation only: LLVM's plugin calls the driver, never the runtime.
constexpr std::array kinds{CUPTI_ACTIVITY_KIND_DEVICE,
                           CUPTI_ACTIVITY_KIND_CONTEXT,
                           CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                           CUPTI_ACTIVITY_KIND_DRIVER,
                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                           CUPTI_ACTIVITY_KIND_MEMCPY,
                           CUPTI_ACTIVITY_KIND_MEMCPY2,
                           CUPTI_ACTIVITY_KIND_MEMSET,
                           CUPTI_ACTIVITY_KIND_MEMORY2,
                           CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                           CUPTI_ACTIVITY_KIND_OVERHEAD,
                           CUPTI_ACTIVITY_KIND_STREAM};

class Provider;
std::atomic<Provider*> current{nullptr};
std::atomic<bool> recording{false};  // false: the hooks do nothing

/// CUPTI wants nanoseconds and fits the devices' clocks to them: CLOCK_MONOTONIC, tied to the
/// recording clock by clock_sync points.
std::uint64_t monotonic() noexcept {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}
std::uint64_t CUPTIAPI on_timestamp() {
  return monotonic();
}

class Provider final : public DeviceProvider {
 public:
  Provider(DeviceSink& sink, const ProviderOptions& options)
      : sink_(sink),
        options_(options),
        converter_(
            sink, [this](std::uint32_t device) { return number_of(device); },
            [this](std::uint32_t id, CudaDevice device) { describe(id, std::move(device)); }) {}
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
  void push(HostOpId id) noexcept { check(api_.push_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id), "push"); }
  void pop() noexcept {
    std::uint64_t last = 0;
    check(api_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last), "pop");
  }

 private:
  struct Delivered {
    std::uint8_t* buffer;
    std::size_t valid;
  };
  bool check(CUptiResult result, const char* what) noexcept;
  void drain() noexcept;
  void parse(const Delivered& delivered);
  std::int32_t number_of(std::uint32_t cuda_device);
  void describe(std::uint32_t cuda_device, CudaDevice device);
  void announce(std::int32_t number, std::uint32_t cuda_device);
  void read_clocks(std::int32_t number) noexcept;

  DeviceSink& sink_;
  const ProviderOptions options_;
  Api api_{};
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::atomic<bool> prepared_{false}, failed_{false};
  std::string failure_ = "CUPTI failed";

  std::mutex buffers_lock_;
  std::vector<std::uint8_t*> free_, all_;
  std::vector<Delivered> delivered_;

  std::recursive_mutex state_lock_;  // converter, devices; never held while CUPTI is called
  std::uint64_t last_reading_ = 0;
  Converter converter_;
  std::vector<std::int32_t> opened_;  // OpenMP numbers in the order of CUDA's
  std::set<std::int32_t> taken_;
  std::map<std::uint32_t, DeviceInfo> infos_;  // by CUDA device
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
void CUPTIAPI on_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

void begin_operation(HostOpId id) noexcept {
  if (recording.load(std::memory_order_relaxed)) current.load(std::memory_order_relaxed)->push(id);
}
void end_operation() noexcept {
  if (recording.load(std::memory_order_relaxed)) current.load(std::memory_order_relaxed)->pop();
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
    failure_ = std::string("CUPTI is switched off: ") + what + " answered " + (text ? text : "an error") + " (" +
               std::to_string(static_cast<int>(result)) + ")";
    sink_.message(failure_);
  } catch (...) {
    sink_.message("CUPTI is switched off after an error");
  }
  return false;
}

DeviceAnswer Provider::prepare() noexcept {
  if (options_.api) {
    api_ = *options_.api;
  } else {
    if (!options_.insist && !process_may_use_cuda()) return {false, "nothing in the process uses CUDA"};
    if (const char* reason = load(api_)) return {false, reason};
  }
  if (!check(api_.subscribe(&subscriber_, on_callback, nullptr), "cuptiSubscribe") ||
      !check(api_.register_timestamp(on_timestamp), "cuptiActivityRegisterTimestampCallback") ||
      !check(api_.register_callbacks(on_request, on_complete), "cuptiActivityRegisterCallbacks")) {
    return {false, failure_.c_str()};
  }
  for (const auto kind : kinds) {
    if (!check(api_.enable(kind), "cuptiActivityEnable")) return {false, failure_.c_str()};
  }
  prepared_ = true;
  recording = true;
  return {true, "CUPTI"};
}

OperationHooks Provider::hooks() const noexcept {
  if (!prepared_ || failed_) return {};
  return {&begin_operation, &end_operation};
}

void Provider::pause(bool on) noexcept {
  if (!prepared_ || failed_) return;
  for (const auto kind : kinds) {
    if (!check(on ? api_.disable(kind) : api_.enable(kind), "cuptiActivityEnable")) return;
  }
  recording = !on;
}

/// libomptarget opens CUDA's devices in CUDA's order and calls them "sm_90".
DeviceAnswer Provider::open(const DeviceDescription& device, DeviceInfo& info) noexcept try {
  if (device.type.substr(0, 3) != "sm_" && device.type.find("nvptx") == std::string_view::npos) {
    return {false, "not an NVIDIA device"};
  }
  if (failed_) return {false, failure_.c_str()};
  if (!prepared_) return {false, "CUPTI is not there"};
  const std::lock_guard lock(state_lock_);
  const bool again = std::find(opened_.begin(), opened_.end(), device.number) != opened_.end();
  if (!again) opened_.push_back(device.number);
  taken_.insert(device.number);
  const auto cuda_device =
      static_cast<std::uint32_t>(std::find(opened_.begin(), opened_.end(), device.number) - opened_.begin());
  info.paradigm_hint = 1;
  info.properties["cuda_device"] = std::to_string(cuda_device);
  auto& known = infos_[cuda_device];
  info.properties.insert(known.properties.begin(), known.properties.end());
  known = info;
  known.provider = DeviceProviderKind::cupti;
  known.provider_reason = "CUPTI";
  read_clocks(device.number);
  return {true, "CUPTI"};
} catch (...) {
  return {false, "no memory"};
}

/// A number for a CUDA device that OpenMP did not announce (yet): its own, if that is free.
std::int32_t Provider::number_of(std::uint32_t cuda_device) {
  if (cuda_device < opened_.size()) return opened_[cuda_device];
  auto it = infos_.find(cuda_device);
  if (it != infos_.end() && it->second.provider == DeviceProviderKind::cupti) return it->second.number;
  auto number = static_cast<std::int32_t>(cuda_device);
  while (taken_.count(number)) number += 1000;
  taken_.insert(number);
  announce(number, cuda_device);
  return number;
}

void Provider::announce(std::int32_t number, std::uint32_t cuda_device) {
  auto& info = infos_[cuda_device];
  info.number = number;
  info.type = "NVIDIA";
  info.provider = DeviceProviderKind::cupti;
  info.provider_reason = "CUPTI; the OpenMP runtime did not open this device";
  info.paradigm_hint = 1;
  info.initialized = options_.clock();
  info.properties["cuda_device"] = std::to_string(cuda_device);
  sink_.device(info);
  read_clocks(number);
}

void Provider::describe(std::uint32_t cuda_device, CudaDevice device) {
  auto& info = infos_[cuda_device];
  for (auto& [name, value] : device.properties) info.properties[name] = value;
  // before anything ran on it the device stays unannounced: programs see more devices than they use
  if (info.provider == DeviceProviderKind::cupti) sink_.device(info);
}

void Provider::read_clocks(std::int32_t number) noexcept {
  DeviceClockSync best;
  Ticks width = ~Ticks{0};
  for (int i = 0; i < 5; ++i) {
    const Ticks before = options_.clock();
    const auto time = monotonic();
    const Ticks after = options_.clock();
    if (after - before >= width) continue;
    width = after - before;
    best = {number, before + width / 2, time};
  }
  sink_.clock_sync(best);
}

/// NULL at the limit: CUPTI then drops records and counts them.
void Provider::request(std::uint8_t** buffer, std::size_t* size, std::size_t* records) noexcept try {
  const std::lock_guard lock(buffers_lock_);
  *records = 0;
  if (free_.empty()) {
    if ((all_.size() + 1) * options_.buffer_bytes > options_.memory_bytes) return;
    all_.reserve(all_.size() + 1);
    free_.reserve(all_.size() + 1);
    auto* memory = static_cast<std::uint8_t*>(std::aligned_alloc(64, options_.buffer_bytes));
    if (!memory) return;
    all_.push_back(memory);
    free_.push_back(memory);
  }
  *buffer = free_.back();
  *size = options_.buffer_bytes;
  free_.pop_back();
} catch (...) {
  sink_.count("device.buffers_refused", 1);
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
  if (!buffer) return;
  try {
    const std::lock_guard lock(buffers_lock_);
    if (std::find(all_.begin(), all_.end(), buffer) == all_.end()) return;
    if (valid == 0) {
      free_.push_back(buffer);
      return;
    }
    delivered_.push_back({buffer, valid});
  } catch (...) {
    sink_.count("device.buffers_refused", 1);
    return;
  }
  sink_.wake();
}

void Provider::parse(const Delivered& delivered) {
  CUpti_Activity* activity = nullptr;
  while (api_.next_record(delivered.buffer, delivered.valid, &activity) == CUPTI_SUCCESS) converter_.take(*activity);
  converter_.flush();
}

void Provider::drain() noexcept {
  const std::lock_guard state(state_lock_);
  for (;;) {
    Delivered next{};
    {
      const std::lock_guard lock(buffers_lock_);
      if (delivered_.empty()) return;
      next = delivered_.front();
      delivered_.erase(delivered_.begin());
    }
    try {
      parse(next);
    } catch (...) {
      sink_.count("device.buffers_unreadable", 1);
    }
    const std::lock_guard lock(buffers_lock_);
    free_.push_back(next.buffer);
  }
}

/// Only complete buffers are delivered; never waits for the device.
void Provider::flush() noexcept {
  if (prepared_ && !failed_) check(api_.flush_all(0), "cuptiActivityFlushAll");
}

void Provider::poll() noexcept {
  if (!prepared_) return;
  drain();
  const std::lock_guard lock(state_lock_);
  if (monotonic() - last_reading_ < 200'000'000) return;
  last_reading_ = monotonic();
  for (const auto number : taken_) read_clocks(number);
}

void Provider::close(std::int32_t number) noexcept {
  if (!prepared_) return;
  if (!failed_) check(api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
  drain();
  const std::lock_guard lock(state_lock_);
  if (taken_.count(number)) read_clocks(number);
}

void Provider::finish() noexcept {
  if (!prepared_.exchange(false)) return;
  recording = false;
  if (!failed_) {
    for (const auto kind : kinds) api_.disable(kind);
    check(api_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
    api_.unsubscribe(subscriber_);
  }
  drain();
  const std::lock_guard lock(state_lock_);
  for (const auto number : taken_) read_clocks(number);
}

/// Buffers that CUPTI still has are left to it.
Provider::~Provider() {
  finish();
  Provider* self = this;
  if (!current.compare_exchange_strong(self, nullptr)) return;
  for (auto* buffer : free_) std::free(buffer);
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
