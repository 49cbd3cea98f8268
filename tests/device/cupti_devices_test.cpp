// SPDX-License-Identifier: BSD-3-Clause
// Which device of the runtime a device of CUDA is, and which are there at all.
#include "catch.hpp"

#include <cstdint>

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
