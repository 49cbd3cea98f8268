// SPDX-License-Identifier: BSD-3-Clause
// Finds the host operation behind a device record, also where the record names a wrong one.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "tracer/device_record.hpp"
#include "tracer/host_operation.hpp"

namespace tracer::device {

using Counters = std::map<std::string, std::uint64_t>;

class Join {
 public:
  Join(std::span<const HostOperation> operations, Counters& counters)
      : operations_(operations), claimed_(operations.size()), counters_(counters) {}

  /// First pass: correlation ids, and which operations have a record of their own kind.
  void learn(const DeviceRecord& record);
  /// Second pass: the operation, or nullptr. Sets the record's host_op_id and target_id to what
  /// is true, and a native record of a kernel that has no other one to `kernel`.
  const HostOperation* resolve(DeviceRecord& record);
  /// Kernels and transfers of devices that a provider recorded, but for which no record came.
  std::uint64_t without_record(const std::map<std::int32_t, DeviceProviderKind>& providers) const;

 private:
  const HostOperation* find_twin(const DeviceRecord& record, const HostOperation& named);
  std::size_t index_of(const HostOperation* op) const { return static_cast<std::size_t>(op - operations_.data()); }
  HostOpId id_of(const DeviceRecord& record) const;

  std::span<const HostOperation> operations_;
  std::vector<bool> claimed_;
  std::unordered_map<std::uint64_t, HostOpId> by_correlation_;
  Counters& counters_;
};

}  // namespace tracer::device
