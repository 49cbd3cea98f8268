// SPDX-License-Identifier: BSD-3-Clause
// Turns CUPTI's activity records into DeviceRecords.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "device/cupti/layout.hpp"
#include "tracer/device_provider.hpp"

namespace tracer::device::cupti {

/// CUPTI's description of a CUDA device.
struct CudaDevice {
  std::string name;
  std::map<std::string, std::string> properties;
};

/// Of CUPTI's clock, and of no device yet.
DeviceRecord timed_record(DeviceRecordKind kind) noexcept;

/// Keeps what later records need of earlier ones: contexts, devices. One thread at a time.
class Converter {
 public:
  /// `number_of` gives the OpenMP device number of a CUDA device.
  Converter(DeviceSink& sink, std::function<std::int32_t(std::uint32_t cuda_device)> number_of,
            std::function<void(std::uint32_t cuda_device, CudaDevice)> on_device)
      : sink_(sink), number_of_(std::move(number_of)), on_device_(std::move(on_device)) {}

  /// First, for all records of a buffer: what other records need.
  void learn(const CUpti_Activity& activity);
  /// Passes the activity's records to the sink. Ignores kinds that do not concern a device; counts unknown ones.
  void take(const CUpti_Activity& activity);
  void flush();
  /// What has no device is counted: none comes any more.
  void finish();
  /// Kernels, copies and memsets, and what the driver does for unified memory.
  static bool is_of_device(const CUpti_Activity& activity) noexcept;
  /// What the record of a CUPTI of this version leaves to its reader to free(); nullptr: nothing.
  static void* memory_of(const CUpti_Activity& activity, std::uint32_t version) noexcept;

 private:
  DeviceRecord blank(std::uint32_t cuda_device, DeviceRecordKind kind) const;
  void put(const DeviceRecord& record);
  /// On the context's device; kept until a record has named it.
  void put_of_context(DeviceRecord record, std::uint32_t context);
  std::optional<std::uint32_t> device_of(std::uint32_t context) const;
  void learn_context(std::uint32_t context, std::uint32_t cuda_device);
  void take_kernel(const Kernel& in);
  void take_copy(const Copy& in);
  void take_peer_copy(const PeerCopy& in);
  void take_memset(const Set& in);
  void take_memory(const Memory& in);
  struct PoolSize {
    std::uint64_t address, reserved, in_use;
  };
  void put_pool(std::uint32_t cuda_device, std::uint64_t time, const PoolSize& pool);
  void take_pool(const Pool& in);
  void put_migration(const UnifiedMemory& in, DeviceRecordKind kind, std::uint32_t cuda_device);
  void put_device_faults(const UnifiedMemory& in);
  void put_host_fault(const UnifiedMemory& in);
  void take_unified_memory(const UnifiedMemory& in);
  void take_synchronization(const Synchronization& in);
  void take_overhead(const Overhead& in);
  void take_device(const Device& in);
  void take_correlation(const Correlation& in);

  DeviceSink& sink_;
  std::function<std::int32_t(std::uint32_t)> number_of_;
  std::function<void(std::uint32_t, CudaDevice)> on_device_;
  void remember_thread(const ApiCall& call);
  std::uint64_t thread_of(std::uint32_t correlation);

  /// Of what belongs to the process or a thread: the first context's device.
  static constexpr std::uint32_t any_context = 0xffffffff;
  struct Kept {
    DeviceRecord record;
    std::uint32_t context;
  };

  std::map<std::uint32_t, std::uint32_t> device_of_context_;
  std::vector<Kept> kept_;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_of_call_;  // by correlation id
  std::deque<std::uint32_t> calls_;                                  // oldest first
  std::unordered_set<std::uint32_t> without_thread_;                 // whose call's record is still to come
  std::vector<DeviceRecord> batch_;
};

}  // namespace tracer::device::cupti
