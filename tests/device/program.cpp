// SPDX-License-Identifier: BSD-3-Clause
// Writes the host's records around what the fake devices do.
#include "device/program.hpp"

namespace tracer::test {
namespace {

constexpr int host_device = -1;

std::uint32_t pack(int source, int destination) {
  return (static_cast<std::uint32_t>(source) & 0xffffu) | static_cast<std::uint32_t>(destination) << 16;
}

std::uint64_t distance(std::uint64_t a, std::uint64_t b) {
  return a < b ? b - a : a - b;
}

}  // namespace

void Program::data_op(Thread& thread, FakeDevice& device, TargetId target, ompt_target_data_op_t optype,
                      std::uint64_t bytes, std::uint64_t host, std::uint64_t address) {
  const auto id = thread.next();
  const bool from = optype == ompt_target_data_transfer_from_device || optype == ompt_target_data_delete;
  const int number = device.options.number;
  const int source = from ? number : host_device, destination = from ? host_device : number;
  const auto emit = [&](Endpoint endpoint) {
    thread.records.push_back({VirtualClock::now(), RecordKind::target_data_op, endpoint,
                              static_cast<std::uint16_t>(optype), pack(source, destination), id, bytes});
    thread.records.push_back({from ? address : host, RecordKind::more, Endpoint::none, 0,
                              static_cast<std::uint32_t>(target), from ? host : address, 0x401000});
  };
  emit(Endpoint::begin);
  Operation op;
  op.type = ompt_callback_target_data_op;
  op.optype = optype;
  op.host_op_id = id;
  op.target_id = target;
  op.bytes = bytes;
  op.source = from ? address : host;
  op.destination = from ? host : address;
  op.source_device = source;
  op.destination_device = destination;
  op.duration = 2000 + bytes;
  op = device.run(op);
  emit(Endpoint::end);
  if (optype == ompt_target_data_transfer_to_device || optype == ompt_target_data_transfer_from_device) {
    thread.truth[id] = {from ? DeviceRecordKind::transfer_from_device : DeviceRecordKind::transfer_to_device, number,
                        op.start, op.end, bytes};
  }
}

void Program::kernel(Thread& thread, FakeDevice& device, TargetId target, bool wait) {
  const auto id = thread.next();
  const auto emit = [&](Endpoint endpoint) {
    thread.records.push_back({VirtualClock::now(), RecordKind::target_submit, endpoint, 0, 16, id, target});
  };
  emit(Endpoint::begin);
  Operation op;
  op.host_op_id = id;
  op.target_id = target;
  op.requested_teams = 16;
  op.granted_teams = 8;
  op.duration = 50'000;
  if (!wait) {
    device.launch(op);
    return emit(Endpoint::end);
  }
  op = device.run(op);
  emit(Endpoint::end);
  thread.truth[id] = {DeviceRecordKind::kernel, device.options.number, op.start, op.end, 0};
}

void Program::offload(ChannelId channel, FakeDevice& device, unsigned steps) {
  Thread thread = begin(channel);
  const auto number = static_cast<std::uint32_t>(device.options.number);
  for (unsigned i = 0; i < steps; ++i) {
    const auto target = thread.next();
    const std::uint64_t host = 0x1000 + i, address = 0xd000'0000ull + (std::uint64_t{channel} << 32) + i,
                        bytes = 64 + i % 1000;
    thread.records.push_back({VirtualClock::now(), RecordKind::target, Endpoint::begin, 1, number, target, 0x401000});
    device.target(ompt_scope_begin, target);
    data_op(thread, device, target, ompt_target_data_alloc, bytes, host, address);
    data_op(thread, device, target, ompt_target_data_transfer_to_device, bytes, host, address);
    kernel(thread, device, target);
    data_op(thread, device, target, ompt_target_data_transfer_from_device, bytes, host, address);
    data_op(thread, device, target, ompt_target_data_delete, 0, host, address);
    device.target(ompt_scope_end, target);
    thread.records.push_back({VirtualClock::now(), RecordKind::target, Endpoint::end, 1, number, target, 0x401000});
  }
  keep(thread);
}

void Program::launch(ChannelId channel, FakeDevice& device, unsigned kernels) {
  Thread thread = begin(channel);
  const auto number = static_cast<std::uint32_t>(device.options.number);
  for (unsigned i = 0; i < kernels; ++i) {
    const auto target = thread.next();
    thread.records.push_back({VirtualClock::now(), RecordKind::target, Endpoint::begin, 1, number, target, 0x401000});
    kernel(thread, device, target, false);
    thread.records.push_back({VirtualClock::now(), RecordKind::target, Endpoint::end, 1, number, target, 0x401000});
  }
  keep(thread);
}

Program::Thread Program::begin(ChannelId channel) {
  const std::lock_guard lock(lock_);
  return {channel, counters_[channel], {}, {}};
}

void Program::keep(Thread& thread) {
  const std::lock_guard lock(lock_);
  counters_[thread.channel] = thread.counter;
  auto& records = source_.channel(thread.channel);
  records.insert(records.end(), thread.records.begin(), thread.records.end());
  truth.insert(thread.truth.begin(), thread.truth.end());
}

MemorySource& Program::trace(const std::vector<std::int32_t>& devices, DeviceProviderKind provider) {
  auto& journal = source_.journal_to_fill();
  journal.devices.clear();
  for (const auto number : devices) {
    DeviceInfo info;
    info.number = number;
    info.type = "fake";
    info.provider = provider;
    journal.devices.push_back(info);
  }
  journal.device_clock = sink_.clock;
  journal.strings = sink_.strings();
  source_.device_ = sink_.all;
  return source_;
}

std::map<HostOpId, std::vector<DeviceOperation>> by_host_op(const DeviceTimeline& timeline) {
  std::map<HostOpId, std::vector<DeviceOperation>> out;
  for (const auto& track : timeline.devices)
    for (const auto& stream : track.streams)
      for (const auto& op : stream.operations)
        if (op.host_op_id != no_id) out[op.host_op_id].push_back(op);
  return out;
}

std::string disorder(const DeviceTimeline& timeline) {
  for (const auto& track : timeline.devices) {
    for (const auto& stream : track.streams) {
      Ticks last = 0;
      for (const auto& op : stream.operations) {
        if (op.end < op.start) return stream.name + ": an interval ends before it begins";
        if (op.start < last) return stream.name + ": intervals overlap";
        last = op.end;
      }
    }
  }
  return "";
}

std::size_t stand_ins(const DeviceTimeline& timeline) {
  std::size_t n = 0;
  for (const auto& track : timeline.devices)
    for (const auto& stream : track.streams)
      if (stream.provider == DeviceProviderKind::host) n += stream.operations.size();
  return n;
}

std::size_t right(const DeviceTimeline& timeline, const std::map<HostOpId, Truth>& truth, std::uint64_t tolerance) {
  std::map<HostOpId, std::pair<std::int32_t, DeviceOperation>> found;
  std::map<HostOpId, unsigned> times;
  for (const auto& track : timeline.devices)
    for (const auto& stream : track.streams)
      for (const auto& op : stream.operations) found[op.host_op_id] = {track.number, op}, ++times[op.host_op_id];
  std::size_t n = 0;
  for (const auto& [id, t] : truth) {
    const auto it = found.find(id);
    if (it == found.end() || times[id] != 1) continue;
    const auto& [device, op] = it->second;
    const bool same = op.kind == t.kind && device == t.device && op.bytes == t.bytes;
    if (same && distance(op.start, t.start) <= tolerance && distance(op.end, t.end) <= tolerance) ++n;
  }
  return n;
}

}  // namespace tracer::test
