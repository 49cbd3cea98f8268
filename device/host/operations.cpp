// SPDX-License-Identifier: BSD-3-Clause
// Scans channels for target records; what is open is kept per channel, as callbacks of one
// operation come on one thread.
#include "device/host/operations.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "tracer/ompt_values.hpp"
#include "tracer/range_language.hpp"

namespace tracer::device::host {
namespace {

// ompt_target_data_op_t, OpenMP 5.1 to 6.0; asynchronous twins are 16 higher
constexpr std::uint16_t optype_mask = 0x0f;

DeviceRecordKind kind_of(std::uint16_t optype) noexcept {
  switch (optype & optype_mask) {
    case data_op::alloc:
      return DeviceRecordKind::alloc;
    case data_op::to_device:
      return DeviceRecordKind::transfer_to_device;
    case data_op::from_device:
      return DeviceRecordKind::transfer_from_device;
    case data_op::remove:
      return DeviceRecordKind::free;
    case data_op::memset:
      return DeviceRecordKind::memset;
    case data_op::transfer:
    case data_op::transfer_rect:
      return DeviceRecordKind::transfer_peer;  // until it is seen where from and where to
    default:
      return DeviceRecordKind::native;  // associate, disassociate, newer ones
  }
}

std::int32_t source_of(const Record& r) noexcept {
  return static_cast<std::int16_t>(r.a & 0xffffu);
}
std::int32_t destination_of(const Record& r) noexcept {
  return static_cast<std::int16_t>(r.a >> 16);
}

class OperationFinder {
 public:
  OperationFinder(ChannelId channel, const std::map<std::int32_t, bool>& devices, HostRequests& out)
      : channel_(channel), devices_(devices), out_(out.operations), calls_(out.calls) {}

  void take(const Record& r) {
    if (r.kind == RecordKind::more) {
      if (awaiting_more_) take_more(r);
      return;
    }
    awaiting_more_ = false;
    switch (r.kind) {
      case RecordKind::target:
        return target(r);
      case RecordKind::target_submit:
        return submit(r);
      case RecordKind::target_data_op:
        return data_op(r);
      case RecordKind::range_push:
        return range(r);
      default:
        return;
    }
  }

 private:
  struct Target {
    TargetId id;
    std::int32_t device;
    std::uint64_t codeptr;
  };

  bool is_device(std::int32_t number) const { return devices_.count(number) != 0; }

  void target(const Record& r) {
    if (r.endpoint == Endpoint::begin) {
      targets_.push_back({r.b, static_cast<std::int32_t>(r.a), r.c});
    } else if (r.endpoint == Endpoint::end && !targets_.empty()) {
      targets_.pop_back();
    }
  }

  void range(const Record& r) {
    if (r.sub != call_of_device || targets_.empty() || !open_.empty() || targets_.back().device < 0) return;
    calls_[r.c] = {targets_.back().id, targets_.back().codeptr};
  }

  /// Runtimes before the EMI callbacks report one event per operation, without an end.
  static bool has_no_end(const Record& r) noexcept {
    return r.endpoint == Endpoint::begin_end || r.endpoint == Endpoint::none;
  }

  HostOperation* find_open(HostOpId id) {
    for (auto it = open_.rbegin(); it != open_.rend(); ++it) {
      if (out_[*it].id != id) continue;
      auto* op = &out_[*it];
      open_.erase(std::next(it).base());
      return op;
    }
    return nullptr;
  }

  void begin(const Record& r, HostOperation op) {
    op.begin = r.time;
    op.channel = channel_;
    if (has_no_end(r))
      op.end = r.time;
    else
      open_.push_back(out_.size());
    out_.push_back(op);
    current_ = out_.size() - 1;
  }

  void submit(const Record& r) {
    if (r.endpoint == Endpoint::end) {
      if (auto* op = find_open(r.b)) op->end = r.time;
      return;
    }
    if (r.b == no_id) return;  // nothing can be joined with it
    HostOperation op;
    op.id = r.b;
    op.kind = DeviceRecordKind::kernel;
    op.requested_teams = r.a;
    op.target_id = r.c;
    for (const auto& target : targets_) {
      if (target.id != r.c && r.c != no_id) continue;
      op.device = target.device;
      op.codeptr = target.codeptr;
    }
    begin(r, op);
  }

  void data_op(const Record& r) {
    if (r.endpoint == Endpoint::end) {
      auto* op = find_open(r.b);
      if (!op) return;
      op->end = r.time;
      current_ = static_cast<std::size_t>(op - out_.data());
      awaiting_more_ = true;
      return;
    }
    HostOperation op;
    op.id = r.b;
    op.kind = kind_of(r.sub);
    op.bytes = r.c;
    op.source_device = source_of(r);
    op.destination_device = destination_of(r);
    op.device = device_of(op);
    begin(r, op);
    awaiting_more_ = true;
  }

  /// The host is num_devices or -1 and so none of the run's devices; or 0, where the operation's kind identifies it.
  std::int32_t device_of(HostOperation& op) const {
    const bool to = is_device(op.destination_device), from = is_device(op.source_device);
    const bool moves =
        op.kind == DeviceRecordKind::transfer_to_device || op.kind == DeviceRecordKind::transfer_from_device;
    if (op.kind == DeviceRecordKind::transfer_peer && to != from)
      op.kind = to ? DeviceRecordKind::transfer_to_device : DeviceRecordKind::transfer_from_device;
    // runtimes that give the host a device's number (NVIDIA's, by version) name the device twice
    if (to && from && moves && op.source_device != op.destination_device) op.kind = DeviceRecordKind::transfer_peer;
    if (op.kind == DeviceRecordKind::transfer_from_device || op.kind == DeviceRecordKind::free) {
      return from ? op.source_device : to ? op.destination_device : -1;
    }
    return to ? op.destination_device : from ? op.source_device : -1;
  }

  void take_more(const Record& r) {
    awaiting_more_ = false;
    auto& op = out_[current_];
    // an allocation's address is known at its end only
    if (r.time) op.source_address = r.time;
    if (r.b) op.destination_address = r.b;
    if (r.c) op.codeptr = r.c;
    if (op.target_id != no_id || r.a == 0) return;
    op.target_id = make_id(channel_, r.a);
    for (const auto& target : targets_) {
      if (static_cast<std::uint32_t>(target.id) == r.a) op.target_id = target.id;
    }
  }

  ChannelId channel_;
  const std::map<std::int32_t, bool>& devices_;
  HostOperations& out_;
  std::unordered_map<std::uint64_t, HostConstruct>& calls_;
  std::vector<Target> targets_;
  std::vector<std::size_t> open_;
  std::size_t current_ = 0;
  bool awaiting_more_ = false;
};

bool by_id(const HostOperation& a, const HostOperation& b) noexcept {
  return a.id < b.id;
}

}  // namespace

HostRequests requests(const TraceSource& source) {
  HostRequests out;
  std::map<std::int32_t, bool> devices;
  for (const auto& device : source.journal().devices) devices[device.number] = true;
  if (devices.empty()) return out;
  for (const auto& channel : source.journal().channels) {
    OperationFinder finder(channel.id, devices, out);
    const auto reader = source.records(channel.id);
    for (auto batch = reader->next(); !batch.empty(); batch = reader->next()) {
      for (const auto& record : batch) finder.take(record);
    }
  }
  // ids count up within a channel, and channels come in order: usually nothing to do
  auto& operations = out.operations;
  if (!std::is_sorted(operations.begin(), operations.end(), by_id))
    std::stable_sort(operations.begin(), operations.end(), by_id);
  return out;
}

}  // namespace tracer::device::host
