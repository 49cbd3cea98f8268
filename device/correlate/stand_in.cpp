// SPDX-License-Identifier: BSD-3-Clause
// Finds operations without a record, and makes intervals of them.
#include "device/correlate/stand_in.hpp"

#include <algorithm>

namespace tracer::device {

bool is_transfer(DeviceRecordKind kind) noexcept {
  return kind == DeviceRecordKind::transfer_to_device || kind == DeviceRecordKind::transfer_from_device ||
         kind == DeviceRecordKind::transfer_peer;
}

bool has_stand_in(DeviceRecordKind kind) noexcept {
  return kind == DeviceRecordKind::kernel || kind == DeviceRecordKind::memset || is_transfer(kind);
}

WithoutRecord operations_without_record(std::span<const HostOperation> operations, std::int32_t device,
                                        const Join& join) {
  WithoutRecord out;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& op = operations[i];
    if (op.device != device || !has_stand_in(op.kind)) continue;
    if (op.kind != DeviceRecordKind::memset) ++out.asked;
    if (!join.has_record(i)) out.operations.push_back(i);
  }
  std::stable_sort(out.operations.begin(), out.operations.end(),
                   [&](std::size_t a, std::size_t b) { return operations[a].begin < operations[b].begin; });
  return out;
}

void leave_out_unlinked(std::vector<std::size_t>& missing, std::span<const HostOperation> operations,
                        std::vector<Unlinked> unlinked) {
  if (unlinked.empty() || missing.empty()) return;
  std::stable_sort(unlinked.begin(), unlinked.end(),
                   [](const Unlinked& a, const Unlinked& b) { return a.start < b.start; });
  constexpr std::size_t reach = 64;
  std::vector<std::size_t> asked;  // `asked`: before the record at hand; those that are left have none
  std::size_t next = 0;
  for (const auto& record : unlinked) {
    while (next < missing.size() && operations[missing[next]].begin <= record.start) asked.push_back(missing[next++]);
    for (std::size_t back = 1; back <= std::min(reach, asked.size()); ++back) {
      const auto& op = operations[asked[asked.size() - back]];
      if (op.kind != record.kind || (op.bytes != record.bytes && op.kind != DeviceRecordKind::kernel)) continue;
      asked.erase(asked.end() - static_cast<std::ptrdiff_t>(back));
      break;
    }
  }
  asked.insert(asked.end(), missing.begin() + static_cast<std::ptrdiff_t>(next), missing.end());
  missing = std::move(asked);
}

PlacedOperation stand_in_of(const HostOperation& op) {
  PlacedOperation placed;
  auto& o = placed.operation;
  o.start = o.host_begin = op.begin;
  o.end = std::max(op.begin, op.end);
  o.host_op_id = op.id;
  o.target_id = op.target_id;
  o.bytes = op.bytes;
  o.source_address = op.source_address;
  o.destination_address = op.destination_address;
  o.codeptr = op.codeptr;
  o.requested_teams = op.requested_teams;
  o.source_device = op.source_device;
  o.destination_device = op.destination_device;
  o.host_channel = op.channel;
  o.kind = op.kind;
  placed.stream = op.channel;
  placed.provider = DeviceProviderKind::host;
  return placed;
}

}  // namespace tracer::device
