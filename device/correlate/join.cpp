// SPDX-License-Identifier: BSD-3-Clause
// Joins by host_op_id, by the provider's correlation id, and by content.
#include "device/correlate/join.hpp"

#include "device/correlate/stand_in.hpp"

namespace tracer::device {
namespace {

/// May `op` be what made a record of this kind? A data operation may be carried out by a kernel or
/// a memset (small fills), so only what AMD's runtime is known to confuse is refused.
bool fits(const HostOperation& op, DeviceRecordKind kind) noexcept {
  const bool data_record = is_transfer(kind) || kind == DeviceRecordKind::alloc || kind == DeviceRecordKind::free;
  if (op.kind == DeviceRecordKind::kernel) return !data_record;
  if (kind == DeviceRecordKind::kernel) return op.kind != DeviceRecordKind::alloc && op.kind != DeviceRecordKind::free;
  return true;
}

bool same_content(const HostOperation& op, const DeviceRecord& r) noexcept {
  const bool same_bytes = op.bytes == r.bytes || r.kind == DeviceRecordKind::free;
  const bool same_source = r.source_address == 0 || op.source_address == 0 || op.source_address == r.source_address;
  const bool same_target =
      r.destination_address == 0 || op.destination_address == 0 || op.destination_address == r.destination_address;
  return op.kind == r.kind && same_bytes && same_source && same_target;
}

}  // namespace

HostOpId Join::id_of(const DeviceRecord& record) const {
  if (record.host_op_id != no_id || record.correlation == 0) return record.host_op_id;
  const auto it = by_correlation_.find(record.correlation);
  return it == by_correlation_.end() ? no_id : it->second;
}

void Join::learn(const DeviceRecord& record) {
  if (record.kind == DeviceRecordKind::correlation) {
    if (record.host_op_id != no_id) by_correlation_[record.correlation] = record.host_op_id;
    if (record.thread_id != 0) threads_[record.correlation] = record.thread_id;
    return;
  }
  if (record.kind == DeviceRecordKind::native || record.host_op_id == no_id) return;
  const auto* op = find(operations_, record.host_op_id);
  if (op && op->kind == record.kind) claimed_[index_of(op)] = true;
}

/// AMD: data-op records that carry the submit's host_op_id. The true one is an operation of the
/// same thread near it that nobody claims and that moved the same bytes.
const HostOperation* Join::find_twin(const DeviceRecord& record, const HostOperation& named) {
  constexpr std::size_t reach = 64;
  const auto at = index_of(&named);
  for (std::size_t distance = 1; distance <= reach; ++distance) {
    for (const auto i : {at - distance, at + distance}) {
      if (i >= operations_.size() || claimed_[i]) continue;  // at - distance below 0 wraps
      const auto& op = operations_[i];
      if (op.channel == named.channel && same_content(op, record)) {
        claimed_[i] = true;
        return &op;
      }
    }
  }
  return nullptr;
}

const HostOperation* Join::resolve(DeviceRecord& record) {
  record.host_op_id = id_of(record);
  if (record.host_op_id == no_id) {
    if (const auto call = calls_.find(record.correlation); record.correlation != 0 && call != calls_.end()) {
      record.target_id = call->second.id;
      record.codeptr = call->second.codeptr;
    }
    return nullptr;
  }
  const auto* op = find(operations_, record.host_op_id);
  if (!op) {
    ++counters_["device.host_op_unknown"];
    record.host_op_id = no_id;
    return nullptr;
  }
  if (!fits(*op, record.kind) && record.provider == DeviceProviderKind::cupti) {
    // no mistake: LLVM's plugin copies a launch's environment, or allocates, inside the submit
    record.host_op_id = no_id;
    record.target_id = op->target_id;
    return is_transfer(record.kind) ? op : nullptr;
  }
  if (!fits(*op, record.kind)) {
    ++counters_["device.host_op_wrong"];
    op = find_twin(record, *op);
    record.host_op_id = op ? op->id : no_id;
    if (!op) return nullptr;
  }
  const auto i = index_of(op);
  if (record.kind == DeviceRecordKind::native && op->kind != DeviceRecordKind::native && !claimed_[i]) {
    record.kind = op->kind;
    if (record.bytes == 0) record.bytes = op->bytes;
  }
  if (record.kind == op->kind) claimed_[i] = true;
  seen_[i] = true;
  record.target_id = op->target_id;
  return op;
}

std::uint64_t Join::thread_of(std::uint64_t correlation) const {
  const auto it = threads_.find(correlation);
  return it == threads_.end() ? 0 : it->second;
}

}  // namespace tracer::device
