// SPDX-License-Identifier: BSD-3-Clause
// Which device of the runtime a device of CUDA is, which are there at all, and what is known of their memory.
#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "device/cupti_activities.hpp"
#include "device/cupti_bench.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a device that nothing ran on is not made up for waiting and overhead that belong to no device") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  Activities first, second;
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  overhead.objectId.pt.processId = 1234;
  overhead.start = monotonic(), overhead.end = overhead.start + 5;
  first.add(overhead);
  CUpti_ActivitySynchronization2 wait{};
  wait.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  wait.start = monotonic(), wait.end = wait.start + 50;
  wait.contextId = 3;
  first.add(wait);
  wait.contextId = 9;  // of which nothing is ever known
  first.add(wait);
  second.kernel_on(1, 3);
  FakeCupti::deliver(first);
  bench.provider->poll();
  CHECK(bench.sink.devices.empty());
  FakeCupti::deliver(second);
  bench.provider->finish();
  REQUIRE(bench.sink.devices.size() == 1);
  CHECK(bench.sink.devices.count(1) == 1);
  REQUIRE(bench.sink.all.size() == 3);
  for (const auto& record : bench.sink.all) CHECK((record.device == 1 && record.clock == DeviceClock::device));
  CHECK(bench.sink.counters["device.records_without_device"] == 1);
}

TEST_CASE("a CUDA device that OpenMP never opened is announced by its first record") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  Activities activities;
  activities.kernel(1, monotonic(), monotonic() + 10, 7, "saxpy");
  FakeCupti::deliver(activities);
  bench.provider->finish();
  REQUIRE(bench.sink.devices.count(0) == 1);
  CHECK(bench.sink.devices[0].provider == DeviceProviderKind::cupti);
  CHECK(bench.timeline({}).devices.at(0).streams.size() == 1);
}

TEST_CASE("a device is the one whose context the announcing thread has") {
  Bench bench;
  bench.api.context_device = [](CUdevice* device) { return *device = FakeCupti::current_device, CUDA_SUCCESS; };
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::current_device = 3;
  REQUIRE(bench.open(0).accepted);
  FakeCupti::current_device = 1;
  REQUIRE(bench.open(1).accepted);
  Activities activities;
  activities.kernel_on(3);
  FakeCupti::deliver(activities);
  bench.provider->poll();
  REQUIRE(bench.sink.all.size() == 1);
  CHECK(bench.sink.all[0].device == 0);
}

TEST_CASE("a device that is announced while another's context is current keeps its own kernels") {
  Bench bench;
  bench.api.context_device = [](CUdevice* device) { return *device = FakeCupti::current_device, CUDA_SUCCESS; };
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::current_device = 0;
  for (int number = 0; number < 2; ++number) REQUIRE(bench.open(number).accepted);
  Activities activities;
  for (std::uint32_t device = 0; device < 2; ++device) activities.kernel_on(device);
  FakeCupti::deliver(activities);
  bench.provider->poll();
  REQUIRE(bench.sink.all.size() == 2);
  CHECK((bench.sink.all[0].device == 0 && bench.sink.all[1].device == 1));
}

TEST_CASE("of several devices one that is announced late, under another's context, has the CUDA device of its number") {
  Bench bench;
  bench.api.context_device = [](CUdevice* device) { return *device = FakeCupti::current_device, CUDA_SUCCESS; };
  bench.api.device_count = [](int* count) { return *count = 4, CUDA_SUCCESS; };
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::current_device = 0;
  const std::int32_t before = GENERATE(0, 2);  // devices of others, which the runtime numbers first
  REQUIRE(bench.open(before).accepted);
  REQUIRE(bench.open(before + 3).accepted);
  REQUIRE(bench.open(before + 1).accepted);
  CHECK(bench.sink.devices.at(before).properties.at("cuda_device") == "0");
  CHECK(bench.sink.devices.at(before + 3).properties.at("cuda_device") == "3");
  CHECK(bench.sink.devices.at(before + 1).properties.at("cuda_device") == "1");
}

namespace {

constexpr std::uint32_t host = CUPTI_UNIFIED_MEMORY_CPU_DEVICE_ID, unused = 0xeeeeeeee;

template <typename Record>
Activities unified_memory(std::uint64_t t) {
  Activities all;
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 3, t + 10, 0, unused);
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 65536, t + 20, host, 0);
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 2, t + 1010, 0, unused);
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, 4096, t + 1020, 1, 0);
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT, 0x401000, t + 2010, unused,
                    unused);
  all.pages<Record>(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 1000, t + 2020, 0, host);
  return all;
}

std::ptrdiff_t times_asked(const std::string& line) {
  return std::count(FakeCupti::log.begin(), FakeCupti::log.end(), line);
}

}  // namespace

TEST_CASE("migrations of unified memory have a stream of their own, and page faults are counted by who made them") {
  const bool is_newest = GENERATE(false, true);
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  CHECK(times_asked("unified memory 5") == 0);  // the driver may not have started
  REQUIRE(bench.open(0).accepted);
  CHECK(times_asked("unified memory 5") == 1);
  CHECK(times_asked("enable 25") == 1);
  const auto t = monotonic();
  auto activities = is_newest ? unified_memory<CUpti_ActivityUnifiedMemoryCounter3>(t)
                              : unified_memory<CUpti_ActivityUnifiedMemoryCounter2>(t);
  activities.kernel(1, t, t + 5000, 7, "touches");
  activities.shuffle(1);
  FakeCupti::deliver(activities);
  bench.provider->finish();
  CHECK(times_asked("disable 25") == 1);
  const auto timeline = bench.timeline({});
  CHECK(disorder(timeline).empty());
  REQUIRE(timeline.devices.size() == 1);
  const DeviceTrack& device = timeline.devices[0];
  REQUIRE(device.streams.size() == 2);
  CHECK(device.streams[0].name == "CUDA[0:7]");
  CHECK(device.streams[1].name == "CUDA[0] unified memory");
  const auto& moved = device.streams[1].operations;
  REQUIRE(moved.size() == 3);
  CHECK((moved[0].kind == DeviceRecordKind::migration_to_device && moved[0].bytes == 65536));
  CHECK((moved[1].kind == DeviceRecordKind::migration_to_device && moved[1].bytes == 4096));
  CHECK((moved[2].kind == DeviceRecordKind::migration_from_device && moved[2].bytes == 1000));
  const auto& by_device = device.metrics.at(DeviceMetric::device_page_faults);
  REQUIRE(by_device.size() == 2);
  CHECK((by_device[0].value == 3 && by_device[1].value == 5));
  const auto& by_host = device.metrics.at(DeviceMetric::host_page_faults);
  REQUIRE(by_host.size() == 1);
  CHECK(by_host[0].value == 1);
  CHECK(device.metrics.size() == 2);
}

TEST_CASE("unified memory is asked for once CUDA is in use, by no callback of CUPTI's, and done without if refused") {
  Bench bench;
  FakeCupti::unified_memory = CUPTI_ERROR_NOT_INITIALIZED;
  REQUIRE(bench.provider->prepare().accepted);
  bench.provider->poll();
  CHECK(times_asked("unified memory 5") == 0);
  FakeCupti::callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
  CHECK(times_asked("unified memory 5") == 0);
  CHECK(bench.sink.wakes.load() > 0u);
  bench.provider->poll();
  CHECK(times_asked("unified memory 5") == 1);
  CHECK(bench.sink.counters.empty());
  FakeCupti::unified_memory = CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED;
  bench.provider->poll();
  bench.provider->poll();
  CHECK(times_asked("unified memory 5") == 2);
  CHECK(times_asked("enable 25") == 0);
  CHECK(bench.sink.messages.empty());
  CHECK(bench.sink.counters["device.cupti_kinds_missing"] == 1);
  bench.provider->finish();
  CHECK(times_asked("disable 25") == 0);
}

TEST_CASE("unified memory that is not to be recorded is not asked for, and nobody is woken to ask") {
  Bench bench;
  bench.provider.reset();
  bench.provider =
      device::cupti::make_provider(bench.sink, {16 << 10, 64 << 20, &monotonic, true, true, false, &bench.api});
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
  CHECK(bench.sink.wakes.load() == 0u);
  REQUIRE(bench.open(0).accepted);
  bench.provider->poll();
  bench.provider->finish();
  CHECK(times_asked("unified memory 5") == 0);
  CHECK(times_asked("enable 25") == 0);
  CHECK(times_asked("disable 25") == 0);
}

TEST_CASE("unified memory that is asked for while CUPTI is left does not stay on") {
  static DeviceProvider* leaving = nullptr;
  Bench bench;
  leaving = bench.provider.get();
  bench.api.configure_unified_memory = [](CUpti_ActivityUnifiedMemoryCounterConfig*, std::uint32_t) {
    leaving->finish();
    return CUPTI_SUCCESS;
  };
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr);
  bench.provider->poll();
  CHECK(times_asked("enable 25") == 1);
  CHECK(times_asked("disable 25") == 1);
  CHECK(FakeCupti::log.back() == "disable 25");
}

TEST_CASE("what a memory pool has and what of it is in use is known from each of its operations") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  REQUIRE(bench.open(0).accepted);
  const auto t = monotonic();
  Activities activities;
  CUpti_ActivityMemory4 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.address = 0xd000;
  memory.bytes = 1000;
  memory.timestamp = t;
  memory.isAsync = 1;
  memory.memoryPoolConfig.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  memory.memoryPoolConfig.address = 0xa000;
  memory.memoryPoolConfig.pool.size = 2 << 20;
  memory.memoryPoolConfig.utilizedSize = 1024;
  activities.add(memory);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.timestamp = t + 1000;
  memory.memoryPoolConfig.utilizedSize = 0;
  activities.add(memory);
  memory.memoryOperationType = CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION;
  memory.address = 0xf000;
  memory.timestamp = t + 2000;
  memory.isAsync = 0;  // of no pool, whatever else the record says
  activities.add(memory);
  CUpti_ActivityMemoryPool3 pool{};
  pool.kind = CUPTI_ACTIVITY_KIND_MEMORY_POOL;
  pool.memoryPoolOperationType = CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED;
  pool.memoryPoolType = CUPTI_ACTIVITY_MEMORY_POOL_TYPE_LOCAL;
  pool.address = 0xa000;
  pool.size = 2 << 20;
  pool.timestamp = t + 3000;
  activities.add(pool);
  FakeCupti::deliver(activities);
  bench.provider->finish();
  const auto timeline = bench.timeline({});
  REQUIRE(timeline.devices.size() == 1);
  const auto values = [&](DeviceMetric metric) {
    std::string text;
    for (const DeviceSample& sample : timeline.devices[0].metrics.at(metric))
      text += std::to_string(sample.value) + " ";
    return text;
  };
  CHECK(values(DeviceMetric::memory_in_use) == "1000 0 1000 ");
  CHECK(values(DeviceMetric::pools_in_use) == "1024 0 0 ");
  CHECK(values(DeviceMetric::pools_reserved) == "2097152 2097152 0 ");
}
