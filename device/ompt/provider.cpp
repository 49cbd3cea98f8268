// SPDX-License-Identifier: BSD-3-Clause
// Finds the device behind a buffer callback, and keeps complete buffers until they are drained.
#include "device/ompt/provider.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "device/ompt/traced_device.hpp"

namespace tracer::device::ompt {
namespace {

/// A slot is a device by number, kept until the process ends. Each has callbacks of its own,
/// because AMD's runtime passes device number 0 to all of them.
constexpr unsigned slots = 32;

/// The OpenMP runtime that loaded the tool has it.
double (*of_process() noexcept)() {
  return reinterpret_cast<double (*)()>(::dlsym(RTLD_DEFAULT, "omp_get_wtime"));
}

class Provider;
std::atomic<Provider*> current{nullptr};

class Provider final : public DeviceProvider {
 public:
  Provider(DeviceSink& sink, const ProviderOptions& options)
      : sink_(sink), pool_(options.buffer_bytes, options.memory_bytes) {
    for (unsigned i = 0; i < slots; ++i)
      devices_[i].emplace(i, pool_, sink_, options.clock, options.wtime ? options.wtime : of_process());
  }
  ~Provider() override {
    finish();
    Provider* self = this;
    current.compare_exchange_strong(self, nullptr);
  }

  DeviceProviderKind kind() const noexcept override { return DeviceProviderKind::ompt; }
  DeviceAnswer open(const DeviceDescription& device, DeviceInfo& info) noexcept override;
  void close(std::int32_t number) noexcept override;
  void pause(bool on) noexcept override {
    for (auto& device : devices_) device->pause(on);
  }
  void poll() noexcept override;
  void finish() noexcept override {
    for (auto& device : devices_) device->drain_device();
    for (unsigned slot = 0; slot < slots; ++slot) close_slot(slot);
  }
  bool leave_to_parent() noexcept override;

  void request(unsigned slot, void** buffer, std::size_t* bytes) noexcept { devices_[slot]->request(buffer, bytes); }
  void complete(unsigned slot, const Range& range, bool owned) noexcept;

 private:
  struct Waiting {
    unsigned slot;
    Range range;
  };
  std::optional<unsigned> slot_of(std::int32_t number) noexcept;
  void close_slot(unsigned slot) noexcept;
  void drain() noexcept;

  DeviceSink& sink_;
  BufferPool pool_;
  std::mutex opening_;
  std::array<std::optional<TracedDevice>, slots> devices_;
  std::mutex queue_lock_;
  std::vector<Waiting> queue_;
  std::mutex drain_lock_;
};

/// AMD's runtime crashes on NULL, and may record when there is no provider any more; what comes is not looked at.
alignas(64) std::byte nobodys_buffer[Scrap::piece_bytes];

template <unsigned slot>
void on_request(int, ompt_buffer_t** buffer, std::size_t* bytes) {
  if (auto* provider = current.load()) return provider->request(slot, buffer, bytes);
  *buffer = nobodys_buffer;
  *bytes = sizeof nobodys_buffer;
}
template <unsigned slot>
void on_complete(int, ompt_buffer_t* buffer, std::size_t bytes, ompt_buffer_cursor_t begin, int owned) {
  if (auto* provider = current.load()) provider->complete(slot, {buffer, bytes, begin}, owned != 0);
}

struct Callbacks {
  ompt_callback_buffer_request_t request;
  ompt_callback_buffer_complete_t complete;
};
template <unsigned... slot>
constexpr std::array<Callbacks, sizeof...(slot)> make_callbacks(std::integer_sequence<unsigned, slot...>) {
  return {{{&on_request<slot>, &on_complete<slot>}...}};
}
constexpr auto callbacks = make_callbacks(std::make_integer_sequence<unsigned, slots>{});

std::optional<unsigned> Provider::slot_of(std::int32_t number) noexcept {
  for (unsigned i = 0; i < slots; ++i) {
    if (devices_[i]->number() == number || devices_[i]->number() == -1) return i;
  }
  return std::nullopt;
}

DeviceAnswer Provider::open(const DeviceDescription& device, DeviceInfo& info) noexcept {
  const std::lock_guard lock(opening_);
  const auto slot = slot_of(device.number);
  if (!slot) return {false, "more devices than Tracer supports"};
  // a runtime that never finalised the device (omp_pause_resource_all) starts it anew
  close_slot(*slot);
  return devices_[*slot]->open(device, info, callbacks[*slot].request, callbacks[*slot].complete);
}

void Provider::close(std::int32_t number) noexcept {
  for (unsigned i = 0; i < slots; ++i) {
    if (devices_[i]->number() == number) close_slot(i);
  }
}

/// What is out stays the device's: the runtime may write into it after stop_trace, and go on with it when the device is
/// opened again.
void Provider::close_slot(unsigned slot) noexcept {
  if (!devices_[slot]->is_open()) return;
  unsigned others = 0;
  for (unsigned i = 0; i < slots; ++i) others += i != slot && devices_[i]->is_open();
  devices_[slot]->close(others != 0);
  drain();
}

void Provider::complete(unsigned slot, const Range& range, bool owned) noexcept {
  if (!devices_[slot]->complete(range, owned)) return;
  try {
    const std::lock_guard lock(queue_lock_);
    queue_.push_back({slot, range});
  } catch (...) {
    devices_[slot]->drain(range);
    return;
  }
  sink_.wake();
}

/// One thread at a time, so that close_slot returns only when everything is with the sink.
void Provider::drain() noexcept {
  const std::lock_guard draining(drain_lock_);
  std::vector<Waiting> ready;
  {
    const std::lock_guard lock(queue_lock_);
    ready.swap(queue_);
  }
  for (const auto& [slot, range] : ready) devices_[slot]->drain(range);
}

void Provider::poll() noexcept {
  drain();
  for (auto& device : devices_) device->poll();
}

bool Provider::leave_to_parent() noexcept {
  current = nullptr;
  return true;
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

}  // namespace tracer::device::ompt
