// SPDX-License-Identifier: BSD-3-Clause
// Operations that the host requested from a device: target_submit and target_data_op of the host's threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracer/device_record.hpp"
#include "tracer/device_timeline.hpp"
#include "tracer/ids.hpp"
#include "tracer/time.hpp"

namespace tracer {

struct HostOperation {
  HostOpId id = no_id;
  TargetId target_id = no_id;  ///< of the enclosing target construct; 0: none (omp_target_memcpy)
  Ticks begin = 0, end = 0;    ///< end 0: unknown (the program ended inside)
  std::uint64_t bytes = 0;
  std::uint64_t source_address = 0, destination_address = 0;
  std::uint64_t codeptr = 0;
  ChannelId channel = no_channel;
  std::uint32_t requested_teams = 0;
  std::int32_t device = -1;  ///< the executing device; -1 unknown
  std::int32_t source_device = -1, destination_device = -1;
  DeviceRecordKind kind = DeviceRecordKind::invalid;  ///< kernel, transfer_*, memset, alloc, free, native
};

/// In order of id.
using HostOperations = std::vector<HostOperation>;

/// A target construct, as the host's records have it.
struct HostConstruct {
  TargetId id = no_id;
  std::uint64_t codeptr = 0;
};

struct HostRequests {
  HostOperations operations;
  /// Calls of the device's library inside of a target construct, and of no operation in it: of a runtime that reports
  /// constructs alone (libgomp). By the call's correlation id.
  std::unordered_map<std::uint64_t, HostConstruct> calls;
};

/// nullptr: no operation has this id.
inline const HostOperation* find(std::span<const HostOperation> operations, HostOpId id) noexcept {
  const auto it = std::lower_bound(operations.begin(), operations.end(), id,
                                   [](const HostOperation& op, HostOpId value) { return op.id < value; });
  return it != operations.end() && it->id == id ? &*it : nullptr;
}

}  // namespace tracer
