// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti" against buffers of the real structs and a CUPTI that fails on demand.
#include "catch.hpp"

#include "device/cupti/provider.hpp"
#include "device/cupti_activities.hpp"
#include "device/cupti_bench.hpp"
#include "device/program.hpp"
#include "tracer/convert/devices.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

HostOperation operation(HostOpId id, DeviceRecordKind kind, std::uint64_t begin, std::uint64_t bytes = 0) {
  HostOperation op;
  op.id = id;
  op.kind = kind;
  op.begin = begin;
  op.end = begin + 500;
  op.bytes = bytes;
  op.channel = 0;
  op.device = 0;
  op.target_id = 1000 + id;
  return op;
}

}  // namespace

TEST_CASE("shuffled buffers of CUPTI give the right kernels, copies and correlations") {
  const auto seed = GENERATE(1u, 2u, 3u);
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  REQUIRE(bench.open(0).accepted);
  const auto t = monotonic();
  Activities activities;
  std::vector<HostOperation> operations;
  const unsigned n = 2000;
  for (unsigned i = 0; i < n; ++i) {
    const HostOpId first = 10 + 3 * i;
    const auto at = t + 10'000 * i;
    operations.push_back(operation(first, DeviceRecordKind::transfer_to_device, at, 64 + i));
    operations.push_back(operation(first + 1, DeviceRecordKind::kernel, at + 3000));
    operations.push_back(operation(first + 2, DeviceRecordKind::transfer_from_device, at + 6000, 32 + i));
    activities.external(first, 3 * i + 1);
    activities.api(3 * i + 1);
    activities.copy(3 * i + 1, at + 100, at + 2000, 64 + i, true);
    activities.external(first + 1, 3 * i + 2);
    activities.kernel(3 * i + 2, at + 3100, at + 5000, 7, "__omp_offloading_10_20_main_l42");
    activities.external(first + 2, 3 * i + 3);
    activities.copy(3 * i + 3, at + 6100, at + 8000, 32 + i, false);
  }
  activities.kernel(999'999, t + 50, t + 60, 9, "_Z8my_saxpyPff");  // called by the program, not by a target construct
  activities.shuffle(seed);
  FakeCupti::deliver(activities);
  bench.provider->finish();
  auto timeline = bench.timeline(operations);
  CHECK(disorder(timeline).empty());
  const auto found = by_host_op(timeline);
  CHECK(found.size() == 3 * n);
  unsigned right = 0;
  for (const auto& op : operations) {
    const auto& device = found.at(op.id);
    if (device.size() == 1 && device[0].kind == op.kind && device[0].bytes == op.bytes &&
        device[0].start - op.begin <= 1100 && device[0].target_id == op.target_id) {
      ++right;
    }
  }
  CHECK(right == 3 * n);
  CHECK(timeline.repairs.empty());
  CHECK(timeline.counters.count("device.operations_without_record") == 0);
  unsigned of_libraries = 0;
  for (const auto& stream : timeline.devices.at(0).streams) {
    for (const auto& op : stream.operations) {
      if (op.host_op_id != no_id) continue;
      ++of_libraries;
      CHECK(bench.sink.name(op.name) == "_Z8my_saxpyPff");
      CHECK(stream.name == "CUDA[0:9]");
    }
  }
  CHECK(of_libraries == 1);
}

TEST_CASE("peer copies, memsets, memory, synchronisation, overhead and devices are read") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  REQUIRE(bench.open(4).accepted);
  REQUIRE(bench.open(5).accepted);
  const auto t = monotonic();
  Activities activities;
  CUpti_ActivityDevice5 device{};
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = 0;
  device.name = "NVIDIA H200";
  device.globalMemorySize = 150'000'000'000;
  device.numMultiprocessors = 132;
  device.computeCapabilityMajor = 9;
  activities.add(device);
  CUpti_ActivityContext3 context{};
  context.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
  context.contextId = 2;
  context.deviceId = 1;
  activities.add(context);
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.bytes = 77;
  peer.start = t, peer.end = t + 10;
  peer.srcDeviceId = 0, peer.dstDeviceId = 1;
  activities.add(peer);
  CUpti_ActivityMemset4 set{};
  set.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  set.bytes = 88;
  set.start = t + 20, set.end = t + 30;
  activities.add(set);
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.address = 0xd000;
  memory.bytes = 99;
  memory.timestamp = t;
  activities.add(memory);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.timestamp = t + 40;
  activities.add(memory);
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
  wait.start = t, wait.end = t + 50;
  wait.contextId = 2;
  activities.add(wait);
  wait.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  wait.streamId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  activities.add(wait);
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH;
  overhead.start = t, overhead.end = t + 5;
  activities.add(overhead);
  FakeCupti::dropped = 3;
  FakeCupti::deliver(activities);
  bench.provider->poll();
  CHECK(bench.sink.devices.at(4).properties.at("name") == "NVIDIA H200");
  CHECK(bench.sink.devices.at(4).properties.at("compute_units") == "132");
  CHECK(bench.sink.counters["device.records_lost"] == 3);
  auto timeline = bench.timeline({});
  CHECK(disorder(timeline).empty());
  REQUIRE(timeline.devices.size() == 2);
  std::map<DeviceRecordKind, std::int32_t> where;
  for (const auto& track : timeline.devices)
    for (const auto& stream : track.streams)
      for (const auto& op : stream.operations) where[op.kind] = track.number;
  CHECK(where == std::map<DeviceRecordKind, std::int32_t>{{DeviceRecordKind::transfer_peer, 4},
                                                          {DeviceRecordKind::memset, 4},
                                                          {DeviceRecordKind::synchronize, 5},
                                                          {DeviceRecordKind::overhead, 5}});
  const auto is_of_no_stream = [](const DeviceRecord& record) { return record.stream == no_stream; };
  CHECK(std::count_if(bench.sink.all.begin(), bench.sink.all.end(), is_of_no_stream) == 1);
  const auto& in_use = timeline.devices[0].metrics.at(DeviceMetric::memory_in_use);
  REQUIRE(in_use.size() == 2);
  CHECK(in_use[0].value == 99);
  CHECK(in_use[1].value == 0);
}

TEST_CASE("the launching thread's operation is pushed and popped") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  const auto hooks = bench.provider->hooks();
  REQUIRE(hooks.begin);
  hooks.begin(42);
  hooks.end();
  CHECK((FakeCupti::pushed == 1 && FakeCupti::popped == 1 && FakeCupti::last_pushed == 42));
  bench.provider->pause(true);
  hooks.begin(43);
  hooks.end();
  CHECK(FakeCupti::pushed == 1);
}

TEST_CASE("what was pushed before a pause is popped in it") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  const auto hooks = bench.provider->hooks();
  hooks.begin(42);
  bench.provider->pause(true);
  hooks.end();
  CHECK(FakeCupti::popped == 1);
  bench.provider->pause(false);
  hooks.begin(43);
  hooks.end();
  CHECK((FakeCupti::pushed == 2 && FakeCupti::popped == 2));
}

TEST_CASE("a kind that the library lacks is done without, unless it is needed") {
  Bench bench;
  SECTION("overhead") {
    FakeCupti::missing = CUPTI_ACTIVITY_KIND_OVERHEAD;
    CHECK(bench.provider->prepare().accepted);
    CHECK(bench.sink.counters["device.cupti_kinds_missing"] == 1);
    CHECK(bench.sink.messages.empty());
  }
  SECTION("kernels") {
    FakeCupti::missing = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    CHECK_FALSE(bench.provider->prepare().accepted);
    CHECK(bench.sink.messages.size() == 1);
  }
}

TEST_CASE("a copy that no construct made belongs to the thread that called CUDA") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  REQUIRE(bench.open(0).accepted);
  Activities activities;
  activities.copy(5, monotonic(), monotonic() + 100, 64, true);
  activities.api(5, 4711);  // may stand behind what it caused
  FakeCupti::deliver(activities);
  bench.provider->finish();
  Journal journal;
  for (const auto& [number, info] : bench.sink.devices) journal.devices.push_back(info);
  journal.device_clock = bench.sink.clock;
  ChannelInfo master, other;
  master.os_thread_id = 4710;
  other.id = 1;
  other.os_thread_id = 4711;
  journal.channels = {master, other};
  const auto timeline =
      device::correlate(journal, {}, [&](const auto& take) { take(std::span<const DeviceRecord>(bench.sink.all)); });
  REQUIRE(timeline.devices.at(0).streams.size() == 1);
  CHECK(timeline.devices[0].streams[0].operations.at(0).host_channel == 1);
}

TEST_CASE("the first error gives CUPTI back with one line, and no call follows") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  const auto hooks = bench.provider->hooks();
  FakeCupti::answer = CUPTI_ERROR_UNKNOWN;
  hooks.begin(1);
  bench.provider->poll();
  const auto calls = FakeCupti::calls;
  for (int i = 0; i < 100; ++i) hooks.begin(2), hooks.end();
  bench.provider->flush();
  bench.provider->finish();
  CHECK(FakeCupti::calls == calls);
  REQUIRE(bench.sink.messages.size() == 1);
  CHECK(bench.sink.messages[0].find("999") != std::string::npos);
  CHECK(bench.provider->hooks().begin == nullptr);
}

TEST_CASE("another subscriber is the end of it") {
  Bench bench;
  FakeCupti::answer = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  const auto answer = bench.provider->prepare();
  CHECK_FALSE(answer.accepted);
  CHECK(std::string(answer.reason).find("39") != std::string::npos);
  CHECK(FakeCupti::calls == 1);
  CHECK_FALSE(bench.open(0).accepted);
}

TEST_CASE("devices of others are refused") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  CHECK_FALSE(bench.open(0, "gfx90a").accepted);
  CHECK_FALSE(bench.open(0, "generic-64bit").accepted);
  CHECK(bench.open(0, "sm_80").accepted);
}

TEST_CASE("without memory for a buffer CUPTI drops and counts") {
  Bench bench(4096, 4096);
  REQUIRE(bench.provider->prepare().accepted);
  REQUIRE(bench.open(0).accepted);
  Activities activities;
  for (unsigned i = 0; i < 100; ++i) activities.kernel(i, monotonic(), monotonic(), 7, "k");
  FakeCupti::deliver(activities);
  bench.provider->finish();
  CHECK(bench.sink.all.size() > 5);
  CHECK(bench.sink.all.size() < 100);
}
