// SPDX-License-Identifier: BSD-3-Clause
// A device record: the common form for all providers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tracer/ids.hpp"

namespace tracer {

/// Values are part of the raw format: append only.
enum class DeviceRecordKind : std::uint8_t {
  invalid = 0,
  kernel = 1,
  transfer_to_device = 2,
  transfer_from_device = 3,
  transfer_peer = 4,  ///< device to device, or within one device
  memset = 5,
  alloc = 6,
  free = 7,
  synchronize = 8,
  overhead = 9,
  target_begin = 10,  ///< the device's copy of the host's target event; times may be 0
  target_end = 11,
  native = 12,                 ///< of a native or abstract record: name and times only
  lost = 13,                   ///< the provider dropped `bytes` records up to `end`
  correlation = 14,            ///< no event: the provider's `correlation` id belongs to `host_op_id`, or to `thread_id`
  migration_to_device = 15,    ///< pages of unified memory come to it, from the host or another device
  migration_from_device = 16,  ///< to the host
  page_faults = 17,            ///< so many as `bytes`, in unified memory, of `source_device` (-1: of the host)
  memory_pool = 18,            ///< that at source_address has `bytes` of the device, destination_address of them in use
};

enum class DeviceProviderKind : std::uint8_t { none = 0, ompt = 1, cupti = 2, host = 3 };

/// The clock of `start` and `end`.
enum class DeviceClock : std::uint8_t {
  host_ticks = 0,  ///< Tracer's recording clock
  device = 1,      ///< the device's own: fit by DeviceClockSync points of that device
};

/// Of what belongs to no stream: waiting for a whole device, or for an event.
inline constexpr std::uint64_t no_stream = ~std::uint64_t{0};

struct DeviceRecord {
  std::uint64_t start;  ///< 0: not recorded
  std::uint64_t end;    ///< 0: not recorded
  HostOpId host_op_id;  ///< 0: not by a target construct
  TargetId target_id;
  std::uint64_t thread_id;    ///< the provider's id of the host thread; 0 unknown
  std::uint64_t stream;       ///< the provider's stream or queue, or no_stream
  std::uint64_t correlation;  ///< the provider's correlation id; 0 none
  std::uint64_t bytes;
  std::uint64_t source_address;
  std::uint64_t destination_address;
  std::uint64_t codeptr;
  std::uint32_t name;  ///< string id in the journal; 0 none
  std::uint32_t requested_teams;
  std::uint32_t granted_teams;
  std::int32_t device;
  std::int32_t source_device;
  std::int32_t destination_device;
  std::uint32_t context;
  DeviceRecordKind kind;
  DeviceProviderKind provider;
  DeviceClock clock;
  std::uint8_t reserved;
};
static_assert(sizeof(DeviceRecord) == 120 && std::is_trivially_copyable_v<DeviceRecord>);

}  // namespace tracer
