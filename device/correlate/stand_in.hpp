// SPDX-License-Identifier: BSD-3-Clause
// What stands for an operation of which no device record came: the interval of the host's callbacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/correlate/join.hpp"
#include "device/correlate/streams.hpp"
#include "tracer/host_operation.hpp"

namespace tracer::device {

/// A record that belongs to none of the host's operations that is known.
struct Unlinked {
  DeviceRecordKind kind;
  std::uint64_t bytes;
  Ticks start;
};

struct WithoutRecord {
  std::vector<std::size_t> operations;  ///< indices, in order of their begin
  std::uint64_t asked = 0;              ///< kernels and transfers of the device, with a record or without
};

bool is_transfer(DeviceRecordKind kind) noexcept;
/// Kernels, transfers and memsets; memory is counted by add_host_memory.
bool has_stand_in(DeviceRecordKind kind) noexcept;
WithoutRecord operations_without_record(std::span<const HostOperation> operations, std::int32_t device,
                                        const Join& join);
/// A record with a wrong number is of an operation all the same: each takes the last one of its kind and size that was
/// requested before it began.
void leave_out_unlinked(std::vector<std::size_t>& missing, std::span<const HostOperation> operations,
                        std::vector<Unlinked> unlinked);
PlacedOperation stand_in_of(const HostOperation& operation);

}  // namespace tracer::device
