// SPDX-License-Identifier: BSD-3-Clause
// One device whose runtime records it: switching on, buffers in and out, switching off.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "device/ompt/bounded_flush.hpp"
#include "device/ompt/buffer_pool.hpp"
#include "device/ompt/entry_points.hpp"
#include "device/ompt/parse.hpp"
#include "device/ompt/scrap.hpp"
#include "tracer/device_provider.hpp"
#include "tracer/time.hpp"

namespace tracer::device::ompt {

using Clock = Ticks (*)() noexcept;

/// Life of a device, and who may do what:
///
///   idle -- open --> tracing -- (no memory) --> starved -- close --> idle
///                       `------------ close ------------------------^
///
/// buffer_request and buffer_complete come on any thread of the runtime, from inside start_trace
/// until after stop_trace has returned. close() therefore marks the device closed first and then
/// waits for callbacks that are inside; later ones touch nothing.
class TracedDevice {
 public:
  TracedDevice(unsigned slot, BufferPool& pool, DeviceSink& sink, Clock clock, double (*wtime)()) noexcept
      : slot_(slot), pool_(pool), sink_(sink), clock_(clock), wtime_(wtime) {}

  std::int32_t number() const noexcept { return number_.load(std::memory_order_relaxed); }
  bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }

  DeviceAnswer open(const DeviceDescription& device, DeviceInfo& info, ompt_callback_buffer_request_t on_request,
                    ompt_callback_buffer_complete_t on_complete) noexcept;
  /// Fetches what the device has. Of all devices first, before the first of them is closed.
  void drain_device() noexcept;
  void close(bool others_are_open) noexcept;
  void pause(bool on) noexcept;
  /// Reads both clocks; reports a starved device. The drainer's.
  void poll() noexcept;

  /// The bodies of the callbacks. `complete` returns true when the tool now owns `buffer` and its
  /// records wait for drain().
  void request(void** buffer, std::size_t* bytes) noexcept;
  bool complete(const Range& range, bool owned) noexcept;
  /// Parses a buffer that complete() left, and recycles it.
  void drain(const Range& range) noexcept;

 private:
  bool enable() noexcept;
  bool enable_standard() noexcept;
  bool enable_native() noexcept;
  bool flush() noexcept;
  void stop() noexcept;
  void read_clocks() noexcept;
  void request_properties(DeviceInfo& info) noexcept;
  void translate_times(const ParseCount& count) noexcept;
  void parse_now(const Range& range) noexcept;
  void discard(const Range& range) noexcept;
  void wait_for_callbacks() noexcept;

  const unsigned slot_;
  BufferPool& pool_;
  DeviceSink& sink_;
  const Clock clock_;
  double (*const wtime_)();
  Ticks opened_ticks_ = 0;  // both clocks of the host when the device was opened
  double opened_wtime_ = 0;
  EntryPoints entry_;
  DeviceHandle handle_ = nullptr;
  std::atomic<std::int32_t> number_{-1};
  bool kernels_are_standard_ = false;
  bool transfers_are_standard_ = false;
  std::chrono::steady_clock::time_point last_reading_{};
  std::mutex control_;  // open, close, pause, poll; never held where the runtime calls back
  std::atomic<bool> open_{false};
  std::atomic<bool> starved_{false};
  bool is_starvation_reported_ = false, drained_ = false, stoppable_ = false;  // under control_
  BoundedFlush flush_;
  std::atomic<unsigned> inside_{0};
  std::atomic<std::uint64_t> delivered_{0};  // completions with records
  Scrap scrap_;                              // handed out when there is no memory; its records are lost
};

}  // namespace tracer::device::ompt
