// SPDX-License-Identifier: BSD-3-Clause
// Chooses, per device, who records it, and is what the OMPT handlers talk to about devices.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tracer/device_provider.hpp"
#include "tracer/time.hpp"

namespace tracer::device {

/// TRACER_DEVICE. `automatic` tries ompt, cupti, host in this order; for NVIDIA's devices cupti, ompt, host: LLVM's
/// runtimes accept tracing for any device, and make records of AMD's only.
enum class Choice : std::uint8_t { automatic, ompt, cupti, host, off };

struct DeviceOptions {
  Choice choice = Choice::automatic;
  std::size_t buffer_bytes = std::size_t{1} << 20;    ///< of one trace buffer
  std::size_t memory_bytes = std::size_t{256} << 20;  ///< all trace buffers together
  bool calls = true;                                  ///< CUDA's calls are recorded; else they are counted
  bool unified_memory = false;                        ///< is recorded: page faults take longer
  Ticks (*clock)() noexcept = nullptr;                ///< nullptr: tracer::now (tests have their own)
  /// "auto", "ompt", "cupti", "host", "off"; anything else is false and leaves `choice`.
  bool set_choice(std::string_view text) noexcept;
};

/// One per process. Cold members may be called by any thread, also at once. None throws.
class Devices {
 public:
  Devices(DeviceSink& sink, const DeviceOptions& options) noexcept;
  ~Devices();
  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;

  /// In OMPT's initialize, when the runtime will deliver target events: CUPTI must be subscribed
  /// before libomptarget creates its contexts.
  void prepare() noexcept;

  /// CUDA's driver has called the tool from its start: CUPTI begins now, before the first context, unless another
  /// thread is at that. Waits for no other thread.
  void driver_starts() noexcept;

  /// The callbacks device_initialize, _finalize and _load (the record in the ring is the
  /// handler's). `handle` and `lookup` are the callback's arguments, either may be NULL.
  void initialize(std::int32_t number, const char* type, DeviceHandle handle, DeviceLookup lookup,
                  const char* documentation) noexcept;
  void finalize(std::int32_t number) noexcept;

  /// The host uses device `number`. Runtimes announce the first device of a plug-in only, or none: it is
  /// announced here then. Hot: a load and a branch, but for the first time.
  void used(std::int32_t number) noexcept {
    const auto bit = static_cast<std::uint32_t>(number);
    if (bit >= most_known || (known_[bit / 64].load(std::memory_order_relaxed) >> (bit % 64) & 1) != 0) return;
    announce(number);
  }

  /// Hot: at begin and end of target_submit and target_data_op, on the launching thread. A load
  /// and a branch unless a provider needs the correlation.
  void operation_begin(HostOpId id) noexcept {
    if (auto* hook = begin_hook_.load(std::memory_order_relaxed)) hook(id);
  }
  void operation_end() noexcept {
    if (auto* hook = end_hook_.load(std::memory_order_relaxed)) hook();
  }

  /// omp_control_tool: pause, resume, flush.
  void pause(bool on) noexcept;
  void flush() noexcept;

  /// Drainer, at every wake-up, and about four times a second: parses buffers, reads device clocks.
  void poll() noexcept;

  /// In the tool's finalize (or destructor), while the session still takes device records:
  /// flush, stop, parse the rest. Idempotent.
  void finish() noexcept;

  /// In a forked child, on its only thread: nothing of the parent's devices is touched from then on. False: the child
  /// cannot have devices of its own.
  bool leave_to_parent() noexcept;

 private:
  struct State;
  static constexpr std::uint32_t most_known = 256;  // devices with higher numbers are not announced here
  void refresh_hooks() noexcept;
  bool ours() const noexcept;
  void announce(std::int32_t number) noexcept;
  void note(std::int32_t number) noexcept;
  std::unique_ptr<State> state_;
  std::array<std::atomic<std::uint64_t>, most_known / 64> known_{};  // by number: announced
  std::atomic<void (*)(HostOpId) noexcept> begin_hook_{nullptr};
  std::atomic<void (*)() noexcept> end_hook_{nullptr};
};

}  // namespace tracer::device
