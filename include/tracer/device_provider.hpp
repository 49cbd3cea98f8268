// SPDX-License-Identifier: BSD-3-Clause
// The interface between the sources of device records (OMPT device tracing, CUPTI, the host's own
// callbacks) and their storage.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "tracer/device_record.hpp"
#include "tracer/ids.hpp"
#include "tracer/journal.hpp"

namespace tracer {

/// ompt_function_lookup_t and ompt_device_t without the foreign header.
using DeviceLookup = void (*(*)(const char* name))();
using DeviceHandle = void*;

/// Receives the providers' information. Any thread may call, also the runtime's own; implementations
/// may lock and allocate, but must not call a provider from here.
class DeviceSink {
 public:
  virtual ~DeviceSink() = default;
  virtual void records(std::span<const DeviceRecord> records) noexcept = 0;
  virtual void clock_sync(const DeviceClockSync& point) noexcept = 0;
  /// A new or changed description; the last one of a number (and `initialized`) is valid.
  virtual void device(const DeviceInfo& info) noexcept = 0;
  /// The journal's id of a string; 0 for "".
  virtual std::uint32_t intern(std::string_view text) noexcept = 0;
  /// Adds to a counter of the journal ("device.buffers_refused", ...).
  virtual void count(std::string_view counter, std::uint64_t n) noexcept = 0;
  /// On the thread that calls CUDA, around an outermost call; `name` is an id of intern(). Hot.
  virtual void call_began(std::uint32_t name, std::uint64_t correlation) noexcept {
    (void)name;
    (void)correlation;
  }
  virtual void call_ended() noexcept {}
  /// One line for the user.
  virtual void message(std::string_view line) noexcept = 0;
  /// A buffer waits for DeviceProvider::poll: wake the drainer. Must not wait for it.
  virtual void wake() noexcept = 0;
};

/// An opened device, as described by device_initialize.
struct DeviceDescription {
  std::int32_t number = 0;
  std::string_view type;
  DeviceHandle handle = nullptr;
  DeviceLookup lookup = nullptr;
};

/// A provider's answer to an offered device.
struct DeviceAnswer {
  bool accepted = false;
  const char* reason = "";  ///< static text: the reason
};

/// Functions of a provider, called around the launch of every host operation, on the launching thread.
struct OperationHooks {
  void (*begin)(HostOpId) noexcept = nullptr;
  void (*end)() noexcept = nullptr;
};

/// Source of the records of any number of devices. All members are noexcept: they run inside the
/// traced program.
class DeviceProvider {
 public:
  virtual ~DeviceProvider() = default;
  virtual DeviceProviderKind kind() const noexcept = 0;
  /// In OMPT's initialize, before any device exists. False: the provider gets no device.
  virtual DeviceAnswer prepare() noexcept { return {true, ""}; }
  /// A device's driver starts, and has called the tool from there: nothing of that driver may be called before this
  /// returns.
  virtual void driver_starts() noexcept {}
  /// In device_initialize: start recording on this device. May fill in `info.properties`.
  virtual DeviceAnswer open(const DeviceDescription& device, DeviceInfo& info) noexcept = 0;
  /// In device_finalize: passes all records of the device to the sink before it returns.
  virtual void close(std::int32_t device) noexcept = 0;
  virtual OperationHooks hooks() const noexcept { return {}; }
  /// omp_control_tool's pause and resume, for all devices.
  virtual void pause(bool on) noexcept { (void)on; }
  /// Requests the completed records of devices; does not wait for them.
  virtual void flush() noexcept {}
  /// Called by the drainer: parses completed buffers and reads clocks. One thread at a time.
  virtual void poll() noexcept {}
  /// Closes all devices; idempotent. Accesses no buffer after it returns.
  virtual void finish() noexcept = 0;
  /// In a forked child, on its only thread: the parent's devices and their threads are not there. The provider is not
  /// used from then on; callbacks that reach it find nobody. Takes no lock. False: what it has begun, another provider
  /// cannot begin again in the child.
  virtual bool leave_to_parent() noexcept { return true; }
};

}  // namespace tracer
