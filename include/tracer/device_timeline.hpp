// SPDX-License-Identifier: BSD-3-Clause
// Device activity after correlation, ready to be written: device/correlate produces it,
// tracer/translate reads it. Both are independent of each other and of the providers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracer/device_names.hpp"
#include "tracer/device_record.hpp"
#include "tracer/ids.hpp"
#include "tracer/time.hpp"

namespace tracer {

inline constexpr ChannelId no_channel = 0xffffffffu;

/// An interval on a stream: kernel, transfer_*, memset, migration_*, synchronize, overhead, native.
struct DeviceOperation {
  Ticks start = 0, end = 0;  ///< host ticks, start <= end
  Ticks host_begin = 0;      ///< of the operation on the host; 0: unknown
  HostOpId host_op_id = no_id;
  TargetId target_id = no_id;
  std::uint64_t bytes = 0;
  std::uint64_t source_address = 0, destination_address = 0;
  std::uint64_t codeptr = 0;
  std::uint64_t correlation = 0;
  std::uint32_t name = 0;  ///< string id in the journal; 0 none
  std::uint32_t requested_teams = 0, granted_teams = 0;
  std::int32_t source_device = -1, destination_device = -1;
  ChannelId host_channel = no_channel;  ///< the requesting thread
  DeviceRecordKind kind = DeviceRecordKind::invalid;
};

/// Becomes one ACCELERATOR_STREAM location. Operations are in order and do not overlap: overlapping
/// records of a provider's stream go to several of these.
struct DeviceStream {
  std::string name;  ///< "CUDA[0:7]", "OMP Target[1:0]": unique within the device
  std::uint64_t provider_stream = 0;
  unsigned virtual_index = 0;  ///< 0: the provider's own; n: the n-th overflow of it
  DeviceProviderKind provider = DeviceProviderKind::none;
  std::vector<DeviceOperation> operations;
};

/// Of a metric, from `time` on.
struct DeviceSample {
  Ticks time = 0;
  std::uint64_t value = 0;
};

struct DeviceTrack {
  std::int32_t number = 0;
  std::size_t journal_index = 0;  ///< into Journal::devices
  std::vector<DeviceStream> streams;
  std::map<DeviceMetric, std::vector<DeviceSample>> metrics;  ///< in order of time; none is empty
  std::uint64_t asked = 0;                                    ///< kernels and transfers that the host requested
  std::uint64_t without_record = 0;  ///< of these, operations with the host's interval for want of a record
};

/// Times are host ticks: host and device events go through the same conversion to nanoseconds and
/// cannot disagree.
struct DeviceTimeline {
  std::vector<DeviceTrack> devices;               ///< by number; devices of the journal
  std::map<std::string, std::uint64_t> counters;  ///< by name, for the archive's properties
  std::map<std::string, std::uint64_t> repairs;   ///< changes, moves and omissions
  /// Copies from devices whose data was in the host's memory when the callback of their end came, in order. Others may
  /// have been requested by then, and no more.
  std::vector<HostOpId> landed;
  bool empty() const noexcept { return devices.empty(); }
};

}  // namespace tracer
