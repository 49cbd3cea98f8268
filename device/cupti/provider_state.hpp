// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti" from within: provider.cpp begins and ends it, fetch.cpp brings the records in.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "device/cupti/api.hpp"
#include "device/cupti/buffers.hpp"
#include "device/cupti/call_regions.hpp"
#include "device/cupti/calls.hpp"
#include "device/cupti/convert.hpp"
#include "device/cupti/cuda_devices.hpp"
#include "device/cupti/gate.hpp"
#include "device/cupti/provider.hpp"
#include "device/cupti/silence.hpp"

namespace tracer::device::cupti {

class Provider;
/// CUPTI's callbacks carry no context.
inline std::atomic<Provider*> current{nullptr};
inline std::atomic<bool> recording{false};  ///< false: the hooks do nothing
inline Gate gate;
inline thread_local unsigned pushed = 0;  ///< ids of this thread that CUPTI has

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
            [this](std::uint32_t id, const CudaDevice& device) { devices_.describe(id, device); }) {}
  ~Provider() override;

  DeviceProviderKind kind() const noexcept override { return DeviceProviderKind::cupti; }
  DeviceAnswer prepare() noexcept override;
  void driver_starts() noexcept override { start(true); }
  DeviceAnswer open(const DeviceDescription& device, DeviceInfo& info) noexcept override;
  void close(std::int32_t number) noexcept override;
  OperationHooks hooks() const noexcept override;
  void pause(bool on) noexcept override;
  void flush() noexcept override;
  void poll() noexcept override;
  void finish() noexcept override;
  bool leave_to_parent() noexcept override;

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
  void notify(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept;
  void flush_at_exit() noexcept;
  void flush_before_exit() noexcept;

 private:
  /// `waiting`: for a library of CUDA to be loaded. `starting`: on one thread, once. `off` is final.
  enum class State { waiting, starting, running, off };
  DeviceAnswer start(bool driver_starts = false) noexcept;
  void await_start() const noexcept;
  bool begin(bool driver_starts) noexcept;
  bool subscribe() noexcept;
  bool enable_all() noexcept;
  void disable_all() noexcept;
  void ask_for_unified_memory() noexcept;
  bool flush_all(std::uint32_t flag) noexcept;
  void flush_in_time() noexcept;
  void refuse(std::string reason) noexcept;
  bool is_cuda_device(const DeviceDescription& device) noexcept;
  void leave() noexcept;
  void make_room() noexcept;
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
  std::atomic<State> state_{State::waiting};
  std::atomic<bool> failed_{false}, left_{false};
  std::mutex reason_lock_;
  std::string reason_ = "CUPTI failed";  // why not; never changed again once it was handed out
  bool refused_ = false;
  LateLibraries libraries_;
  std::atomic<bool> has_exit_handler_{false};
  std::atomic<bool> asked_for_unified_memory_{!options_.unified_memory};  // or nobody wants it
  std::atomic<bool> has_unified_memory_{false};
  bool made_room_ = false;                     // the drainer's: the subscription is given back, and records go on
  std::atomic<bool> has_call_regions_{false};  // they need the subscription
  std::atomic<std::uint64_t> calls_without_region_from_{0};
  Buffers buffers_;
  RecordedCalls recorded_calls_;
  CallRegions call_regions_;
  Silence silence_;
  std::uint64_t last_flush_ = 0;  // the drainer's

  std::recursive_mutex state_lock_;  // converter, devices; never held while CUPTI is called
  CudaDevices devices_;
  Converter converter_;
};

/// What is registered once CUDA is in use.
void at_exit() noexcept;

}  // namespace tracer::device::cupti
