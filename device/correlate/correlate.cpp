// SPDX-License-Identifier: BSD-3-Clause
// Two passes over the device records: what belongs to what, then when and where.
#include "device/correlate/correlate.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "device/correlate/clock_map.hpp"
#include "device/correlate/join.hpp"
#include "device/correlate/memory.hpp"
#include "device/correlate/stand_in.hpp"
#include "device/correlate/streams.hpp"

namespace tracer::device {
namespace {

double ticks_per_nanosecond(const Journal& journal) {
  if (journal.clock.size() < 2) return 1;
  const auto& a = journal.clock.front();
  const auto& b = journal.clock.back();
  if (b.monotonic <= a.monotonic || b.ticks <= a.ticks) return 1;
  return static_cast<double>(b.ticks - a.ticks) / static_cast<double>(b.monotonic - a.monotonic);
}

struct Device {
  std::size_t journal_index;
  ClockMap clock;
  std::vector<PlacedOperation> operations;
  std::vector<MemoryEvent> memory;
  std::vector<PoolState> pools;
  std::vector<DeviceSample> device_faults, host_faults;
  DeviceProviderKind provider;
  std::set<std::uint64_t> of_operations;  // addresses that the driver gave for operations of the host
  std::vector<Unlinked> unlinked;
  std::uint64_t asked = 0, without_record = 0;
};

bool is_interval(DeviceRecordKind kind) noexcept {
  switch (kind) {
    case DeviceRecordKind::kernel:
    case DeviceRecordKind::transfer_to_device:
    case DeviceRecordKind::transfer_from_device:
    case DeviceRecordKind::transfer_peer:
    case DeviceRecordKind::memset:
    case DeviceRecordKind::migration_to_device:
    case DeviceRecordKind::migration_from_device:
    case DeviceRecordKind::synchronize:
    case DeviceRecordKind::overhead:
    case DeviceRecordKind::native:
      return true;
    default:
      return false;
  }
}

/// LLVM's plug-in for the host, by the type that it gives, copies before it returns.
bool copies_at_once(const DeviceInfo& info) noexcept {
  return info.type == "generic-64bit";
}

class Correlator {
 public:
  Correlator(const Journal& journal, const HostRequests& requests)
      : journal_(journal),
        operations_(requests.operations),
        ticks_per_nanosecond_(ticks_per_nanosecond(journal)),
        join_(requests, out_.repairs) {
    for (const auto& channel : journal.channels) channel_of_thread_[channel.os_thread_id] = channel.id;
    std::map<std::int32_t, std::vector<DeviceClockSync>> points;  // by device
    for (const auto& point : journal.device_clock) points[point.device].push_back(point);
    for (std::size_t i = 0; i < journal.devices.size(); ++i) {
      const auto& info = journal.devices[i];
      Device device{
          i, ClockMap(points[info.number], ticks_per_nanosecond_), {}, {}, {}, {}, {}, info.provider, {}, {}, 0, 0};
      count("device.clock_readings_dropped", device.clock.dropped());
      devices_.insert_or_assign(info.number, std::move(device));
    }
  }

  void learn(const DeviceRecord& record) {
    join_.learn(record);
    anchor(record);
  }
  void apply_anchors();
  void take(DeviceRecord record);
  DeviceTimeline finish();

 private:
  void count(const char* name, std::uint64_t n = 1) {
    if (n) out_.repairs[name] += n;
  }
  void anchor(const DeviceRecord& record);
  Device* device_of(DeviceRecord& record, const HostOperation* op);
  bool set_times(const DeviceRecord& record, const HostOperation* op, const Device& device, DeviceOperation& out);
  void take_memory(const DeviceRecord& record, const HostOperation* op, Device& device);
  void take_value(const DeviceRecord& record, Device& device);
  bool has_landed(const DeviceRecord& record, const HostOperation& op, Ticks end) const;
  void add_landed();
  void add_host_memory();
  void add_stand_ins();
  void take_metrics(Device& device, DeviceTrack& track);
  ChannelId channel_of(const DeviceRecord& record, const HostOperation* op) const;

  const Journal& journal_;
  std::span<const HostOperation> operations_;
  const double ticks_per_nanosecond_;
  DeviceTimeline out_;
  Join join_;
  std::map<std::int32_t, Device> devices_;
  std::unordered_map<std::uint64_t, ChannelId> channel_of_thread_;
  struct Anchor {
    double distance;  // host minus device, in ticks
    Ticks host;
    std::uint64_t device_time;
  };
  std::map<std::int32_t, Anchor> anchors_;  // of devices without a clock reading
  std::set<HostOpId> without_time_;         // whose interval a record without times has taken
};

/// A device whose clock nobody could read: its kernels start no earlier than their submits, so the
/// largest distance between the two readings is the best guess of the offset.
void Correlator::anchor(const DeviceRecord& record) {
  if (record.clock != DeviceClock::device || record.start == 0 || record.host_op_id == no_id) return;
  const auto* op = find(operations_, record.host_op_id);
  const auto it = devices_.find(op && devices_.count(op->device) ? op->device : record.device);
  if (!op || it == devices_.end() || !it->second.clock.empty() || record.kind != op->kind) return;
  const double distance = static_cast<double>(op->begin) - static_cast<double>(record.start) * ticks_per_nanosecond_;
  const auto [known, first] = anchors_.try_emplace(it->first, Anchor{distance, op->begin, record.start});
  if (!first && distance > known->second.distance) known->second = {distance, op->begin, record.start};
}

void Correlator::apply_anchors() {
  for (const auto& [number, anchor] : anchors_) {
    count("device.clock_guessed");
    devices_.at(number).clock.anchor(anchor.host, anchor.device_time);
  }
}

/// AMD passes device 0 to buffer callbacks of every device: the host operation has the right number.
Device* Correlator::device_of(DeviceRecord& record, const HostOperation* op) {
  if (op && op->device >= 0 && op->device != record.device && devices_.count(op->device) != 0 &&
      record.kind != DeviceRecordKind::transfer_peer) {
    count("device.number_corrected");
    record.device = op->device;
  }
  const auto it = devices_.find(record.device);
  return it == devices_.end() ? nullptr : &it->second;
}

/// False: nothing is known about when it happened.
bool Correlator::set_times(const DeviceRecord& record, const HostOperation* op, const Device& device,
                           DeviceOperation& out) {
  const auto host_time = [&](std::uint64_t t) { return record.clock == DeviceClock::host_ticks ? t : device.clock(t); };
  if (record.start == 0 && record.end == 0) {
    count("device.time_missing");
    // all kernels of a graph are one operation of the host's: its interval is shown once
    if (!op || !without_time_.insert(op->id).second) return false;
    out.start = op->begin;
    out.end = op->end ? op->end : op->begin;
    return true;
  }
  if (record.start == 0 || record.end == 0) count("device.time_incomplete");
  out.start = host_time(record.start ? record.start : record.end);
  out.end = host_time(record.end ? record.end : record.start);
  if (out.end < out.start) {
    count("device.end_before_begin");
    out.end = out.start;
  }
  if (op && out.start < op->begin) {
    count("device.clamped_to_submit");
    out.start = op->begin;
    out.end = std::max(out.end, out.start);
  }
  return true;
}

void Correlator::take_memory(const DeviceRecord& record, const HostOperation* op, Device& device) {
  const bool is_free = record.kind == DeviceRecordKind::free;
  const auto address = is_free ? record.source_address : record.destination_address;
  if (op && !is_free) device.of_operations.insert(address);
  if (op) return;  // add_host_memory has it
  const auto time = record.end ? record.end : record.start;
  if (time == 0 || address == 0) return count("device.allocation_unusable");
  device.memory.push_back(
      {record.clock == DeviceClock::host_ticks ? time : device.clock(time), address, record.bytes, is_free});
}

/// Of a metric, but for the memory in use.
void Correlator::take_value(const DeviceRecord& record, Device& device) {
  if (record.start == 0) return count("device.dropped_without_time");
  const Ticks time = record.clock == DeviceClock::host_ticks ? record.start : device.clock(record.start);
  if (record.kind == DeviceRecordKind::memory_pool)
    device.pools.push_back({time, record.source_address, record.bytes, record.destination_address});
  else
    (record.source_device < 0 ? device.host_faults : device.device_faults).push_back({time, record.bytes});
}

/// The thread that requested it. CUPTI names the caller by the system's number; AMD's runtime has numbers of its own.
ChannelId Correlator::channel_of(const DeviceRecord& record, const HostOperation* op) const {
  if (op) return op->channel;
  if (record.provider != DeviceProviderKind::cupti) return no_channel;
  // the call's own record may have come later than the operation's
  const auto thread = record.thread_id ? record.thread_id : join_.thread_of(record.correlation);
  if (thread == 0) return no_channel;
  const auto it = channel_of_thread_.find(thread);
  return it == channel_of_thread_.end() ? no_channel : it->second;
}

void Correlator::take(DeviceRecord record) {
  switch (record.kind) {
    case DeviceRecordKind::correlation:
      return;
    case DeviceRecordKind::target_begin:
    case DeviceRecordKind::target_end:
      ++out_.counters["device.target_records"];
      return;
    case DeviceRecordKind::lost:
      return count("device.records_lost_by_provider", record.bytes);
    case DeviceRecordKind::invalid:
      return count("device.records_invalid");
    default:
      break;
  }
  const auto* op = join_.resolve(record);
  auto* device = device_of(record, op);
  if (!device) return count("device.of_unknown_device");
  if (record.kind == DeviceRecordKind::alloc || record.kind == DeviceRecordKind::free) {
    return take_memory(record, op, *device);
  }
  if (record.kind == DeviceRecordKind::memory_pool || record.kind == DeviceRecordKind::page_faults)
    return take_value(record, *device);
  if (!is_interval(record.kind)) return count("device.records_of_unknown_kind");
  if (!op && record.provider == DeviceProviderKind::ompt && record.start != 0 && has_stand_in(record.kind))
    device->unlinked.push_back({record.kind, record.bytes, device->clock(record.start)});
  PlacedOperation placed;
  auto& o = placed.operation;
  if (!set_times(record, op, *device, o)) return count("device.dropped_without_time");
  if (op && has_landed(record, *op, o.end)) out_.landed.push_back(op->id);
  o.host_op_id = record.host_op_id;
  o.target_id = record.target_id;
  o.bytes = record.bytes;
  o.source_address = record.source_address;
  o.destination_address = record.destination_address;
  o.codeptr = record.codeptr ? record.codeptr : op ? op->codeptr : 0;
  o.correlation = record.correlation;
  o.name = record.name;
  o.requested_teams = record.requested_teams ? record.requested_teams : op ? op->requested_teams : 0;
  o.granted_teams = record.granted_teams;
  o.source_device = record.source_device;
  o.destination_device = record.destination_device;
  o.host_begin = op ? op->begin : 0;
  o.host_channel = channel_of(record, op);
  o.kind = record.kind;
  placed.stream = record.stream;
  placed.context = record.context;
  placed.provider = record.provider;
  device->operations.push_back(placed);
}

/// CUDA's copies into pageable memory are done when the call returns, but for systems on which the device writes there
/// itself: hence the times. AMD's records end before the runtime has copied from memory of its own to the program's.
bool Correlator::has_landed(const DeviceRecord& record, const HostOperation& op, Ticks end) const {
  const auto copies_back = [](DeviceRecordKind kind) { return kind == DeviceRecordKind::transfer_from_device; };
  if (!copies_back(record.kind) || !copies_back(op.kind) || record.provider != DeviceProviderKind::cupti) return false;
  const auto memory = journal_.strings.find(record.name);
  return memory != journal_.strings.end() && memory->second == "pageable" && record.end != 0 && end <= op.end;
}

void Correlator::add_landed() {
  for (const auto& op : operations_) {
    if (op.kind != DeviceRecordKind::transfer_from_device || op.id == no_id) continue;
    const auto it = devices_.find(op.device);
    if (it != devices_.end() && copies_at_once(journal_.devices[it->second.journal_index]))
      out_.landed.push_back(op.id);
  }
  std::sort(out_.landed.begin(), out_.landed.end());
  out_.landed.erase(std::unique(out_.landed.begin(), out_.landed.end()), out_.landed.end());
}

void Correlator::add_host_memory() {
  for (const auto& op : operations_) {
    const bool is_free = op.kind == DeviceRecordKind::free;
    if (!is_free && op.kind != DeviceRecordKind::alloc) continue;
    const auto it = devices_.find(op.device);
    if (it == devices_.end() || it->second.provider == DeviceProviderKind::none) continue;
    // where the runtime puts the device's address: alloc's destination, delete's source
    const auto address = is_free ? (op.source_address ? op.source_address : op.destination_address)
                                 : (op.destination_address ? op.destination_address : op.source_address);
    it->second.memory.push_back({is_free || !op.end ? op.begin : op.end, address, op.bytes, is_free});
  }
}

/// Also of devices that nobody records: the provider "host" is one for which no record ever comes.
void Correlator::add_stand_ins() {
  for (auto& [number, device] : devices_) {
    if (device.provider == DeviceProviderKind::none) continue;
    auto missing = operations_without_record(operations_, number, join_);
    device.asked = missing.asked;
    leave_out_unlinked(missing.operations, operations_, std::move(device.unlinked));
    for (const auto i : missing.operations) {
      const auto& op = operations_[i];
      device.operations.push_back(stand_in_of(op));
      const bool counts = op.kind == DeviceRecordKind::kernel || is_transfer(op.kind);
      if (counts && device.provider != DeviceProviderKind::host) ++device.without_record;
    }
  }
}

void Correlator::take_metrics(Device& device, DeviceTrack& track) {
  const auto add = [&track](DeviceMetric metric, std::vector<DeviceSample> samples) {
    if (!samples.empty()) track.metrics[metric] = std::move(samples);
  };
  add(DeviceMetric::memory_in_use, memory_in_use(std::move(device.memory), device.of_operations, out_.repairs));
  PoolSizes pools = sizes_of_pools(std::move(device.pools), out_.repairs);
  add(DeviceMetric::pools_in_use, std::move(pools.in_use));
  add(DeviceMetric::pools_reserved, std::move(pools.reserved));
  add(DeviceMetric::device_page_faults, running_sum(std::move(device.device_faults)));
  add(DeviceMetric::host_page_faults, running_sum(std::move(device.host_faults)));
}

DeviceTimeline Correlator::finish() {
  add_landed();
  add_host_memory();
  add_stand_ins();
  std::uint64_t without_record = 0;
  for (auto& [number, device] : devices_) {
    DeviceTrack track;
    track.asked = device.asked;
    track.without_record = device.without_record;
    without_record += device.without_record;
    track.number = number;
    track.journal_index = device.journal_index;
    take_metrics(device, track);
    track.streams =
        make_streams(number, journal_.devices[device.journal_index].paradigm_hint, std::move(device.operations), out_);
    out_.devices.push_back(std::move(track));
  }
  if (without_record) out_.counters["device.operations_without_record"] = without_record;
  return std::move(out_);
}

}  // namespace

DeviceTimeline correlate(const Journal& journal, const HostRequests& requests, const RecordSource& records) {
  if (journal.devices.empty()) return {};
  Correlator correlator(journal, requests);
  records([&](std::span<const DeviceRecord> batch) {
    for (const auto& record : batch) correlator.learn(record);
  });
  correlator.apply_anchors();
  records([&](std::span<const DeviceRecord> batch) {
    for (const auto& record : batch) correlator.take(record);
  });
  return correlator.finish();
}

}  // namespace tracer::device
