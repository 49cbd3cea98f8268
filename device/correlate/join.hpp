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
  /// What is requested must be there as long as this is.
  Join(const HostRequests& requests, Counters& counters)
      : operations_(requests.operations),
        calls_(requests.calls),
        claimed_(operations_.size()),
        seen_(operations_.size()),
        counters_(counters) {}

  /// First pass: correlation ids, and which operations have a record of their own kind.
  void learn(const DeviceRecord& record);
  /// Second pass: the operation, or nullptr. Sets the record's host_op_id and target_id to what
  /// is true, and a native record of a kernel that has no other one to `kernel`. What a call inside a target construct
  /// made, and no operation, has the construct's target_id and codeptr.
  const HostOperation* resolve(DeviceRecord& record);
  /// Did any record turn out to be of this operation? After the second pass.
  bool has_record(std::size_t operation) const { return claimed_[operation] || seen_[operation]; }
  /// The thread that made the call of this correlation id, if a record of its own contains it; 0 unknown.
  std::uint64_t thread_of(std::uint64_t correlation) const;

 private:
  const HostOperation* find_twin(const DeviceRecord& record, const HostOperation& named);
  std::size_t index_of(const HostOperation* op) const { return static_cast<std::size_t>(op - operations_.data()); }
  HostOpId id_of(const DeviceRecord& record) const;

  std::span<const HostOperation> operations_;
  const std::unordered_map<std::uint64_t, HostConstruct>& calls_;
  std::vector<bool> claimed_;  // a record of the operation's own kind names it
  std::vector<bool> seen_;     // a record of another kind is part of it
  std::unordered_map<std::uint64_t, HostOpId> by_correlation_;
  std::unordered_map<std::uint64_t, std::uint64_t> threads_;  // by correlation
  Counters& counters_;
};

}  // namespace tracer::device
