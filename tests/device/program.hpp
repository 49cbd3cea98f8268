// SPDX-License-Identifier: BSD-3-Clause
// A program that offloads to fake devices, recorded as the handlers would.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "support/fake_device/fake_device.hpp"
#include "support/fake_device/memory_device_sink.hpp"
#include "support/memory_trace.hpp"
#include "tracer/device_timeline.hpp"
#include "tracer/ids.hpp"

namespace tracer::test {

/// What really happened on the device, on the host's clock.
struct Truth {
  DeviceRecordKind kind;
  std::int32_t device;
  std::uint64_t start, end, bytes;
};

class Program {
 public:
  explicit Program(MemoryDeviceSink& sink) : sink_(sink) {}

  /// A thread of the program: for each step a target construct that allocates, copies in, runs a kernel, copies
  /// out, and frees.
  void offload(ChannelId channel, FakeDevice& device, unsigned steps);
  /// As many constructs with nowait: a kernel each, that nobody waits for.
  void launch(ChannelId channel, FakeDevice& device, unsigned kernels);
  /// The journal with these devices, the host's records, and what the sink got.
  MemorySource& trace(const std::vector<std::int32_t>& devices, DeviceProviderKind provider = DeviceProviderKind::ompt);

  std::map<HostOpId, Truth> truth;  ///< kernels and transfers

 private:
  struct Thread {
    ChannelId channel;
    std::uint64_t counter = 0;
    std::vector<Record> records;
    std::map<HostOpId, Truth> truth;
    HostOpId next() { return make_id(channel, ++counter); }
  };
  void data_op(Thread& thread, FakeDevice& device, TargetId target, ompt_target_data_op_t optype, std::uint64_t bytes,
               std::uint64_t host, std::uint64_t address);
  void kernel(Thread& thread, FakeDevice& device, TargetId target, bool wait = true);
  Thread begin(ChannelId channel);
  void keep(Thread& thread);

  MemoryDeviceSink& sink_;
  MemorySource source_;
  std::mutex lock_;
  std::map<ChannelId, std::uint64_t> counters_;  // of ids; a channel is one thread at a time
};

/// Operations of the timeline by host_op_id; those without one are left out.
std::map<HostOpId, std::vector<DeviceOperation>> by_host_op(const DeviceTimeline& timeline);
/// Empty, or the first thing wrong: order, overlap, a reversed interval.
std::string disorder(const DeviceTimeline& timeline);
/// How many intervals are the host's, as no record came; all of them are on streams of their own.
std::size_t stand_ins(const DeviceTimeline& timeline);
/// How many of the truth's operations are in the timeline exactly once, with the right kind, device, bytes, and
/// times right to `tolerance` ns.
std::size_t right(const DeviceTimeline& timeline, const std::map<HostOpId, Truth>& truth, std::uint64_t tolerance);

}  // namespace tracer::test
