// SPDX-License-Identifier: BSD-3-Clause
// The provider "ompt" against what runtimes really do: buffers that a flush closes, plug-ins that accept and stay
// silent, records that nobody completes.
#include "catch.hpp"

#include <chrono>
#include <map>
#include <thread>

#include "device/ompt/provider.hpp"
#include "device/program.hpp"
#include "tracer/convert/devices.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

struct Bench {
  explicit Bench(std::size_t buffer = 16 << 10, std::size_t memory = 64 << 20)
      : provider(device::ompt::make_provider(sink, {buffer, memory, &VirtualClock::now})) {}
  bool open(FakeDevice& device) {
    return provider->open(device.description(), sink.devices[device.options.number]).accepted;
  }
  std::uint64_t count_of(DeviceRecordKind kind) const {
    return static_cast<std::uint64_t>(
        std::count_if(sink.all.begin(), sink.all.end(), [kind](const DeviceRecord& r) { return r.kind == kind; }));
  }
  MemoryDeviceSink sink;
  std::unique_ptr<DeviceProvider> provider;
};

std::unique_ptr<FakeDevice> amd(std::int32_t number = 0, Faults faults = {}) {
  return make_amd_device({number, {5'000'000'000, 20}, faults, false, true});
}

}  // namespace

TEST_CASE("a flush in the middle costs no record of a runtime that closes buffers at it") {
  Bench bench;
  const auto device = amd();
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 10);
  bench.provider->flush();
  program.offload(0, *device, 10);
  bench.provider->close(0);
  CHECK(device->flushes == 1);
  CHECK(device->delivered == device->written);
  const auto timeline = device_timeline(program.trace({0}));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(stand_ins(timeline) == 0);
}

TEST_CASE("a plug-in that accepts tracing and makes no record is seen by the host") {
  const bool is_amd = GENERATE(true, false);
  Faults silent;
  silent.silent = true;
  Bench bench;
  const auto device = is_amd ? amd(0, silent) : make_standard_device({0, {}, silent, false, true});
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 10);
  bench.provider->close(0);
  auto timeline = device_timeline(program.trace({0}));
  CHECK(stand_ins(timeline) == 30);
  CHECK(timeline.devices.at(0).asked == 30);
  CHECK(timeline.devices.at(0).without_record == 30);
  CHECK(timeline.counters["device.operations_without_record"] == 30);
  CHECK(disorder(timeline).empty());
}

TEST_CASE("closing one device takes no time from the copies of another") {
  Bench bench;
  const auto first = amd(0), second = amd(1);
  REQUIRE(bench.open(*first));
  REQUIRE(bench.open(*second));
  Program program(bench.sink);
  SECTION("in the middle") {
    program.offload(0, *first, 10);
    bench.provider->close(0);
    program.offload(0, *second, 10);
  }
  SECTION("at the end, where the other still completes what it was asked for") {
    program.offload(0, *first, 10);
    program.launch(0, *second, 3);
    program.offload(0, *second, 10);
    second->synchronize();
  }
  bench.provider->finish();
  auto timeline = device_timeline(program.trace({0, 1}));
  CHECK(timeline.repairs["device.time_missing"] == 0);
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(first->stops + second->stops == 1);
}

TEST_CASE("a device without memory for its buffers takes no time from the copies of another") {
  Bench bench(4096, 8192);  // a buffer for each
  const auto first = amd(0), second = amd(1);
  REQUIRE(bench.open(*first));
  REQUIRE(bench.open(*second));
  Program program(bench.sink);
  program.offload(0, *second, 1);
  program.offload(0, *first, 100);
  bench.provider->poll();
  CHECK(bench.sink.messages.size() == 1);
  CHECK(first->flushes + first->stops == 0);
  program.offload(0, *second, 3);
  bench.provider->poll();
  bench.provider->finish();
  CHECK(bench.sink.counters["device.buffers_refused"] > 0);
  auto timeline = device_timeline(program.trace({0, 1}));
  CHECK(timeline.repairs["device.time_missing"] == 0);
  std::map<HostOpId, Truth> of_second;
  for (const auto& [id, truth] : program.truth)
    if (truth.device == 1) of_second.emplace(id, truth);
  CHECK(right(timeline, of_second, 1000) == of_second.size());
  CHECK(bench.sink.messages.size() == 1);
  CHECK(first->stops + second->stops == 1);
  CHECK(first->violations + second->violations == 0);
}

TEST_CASE("what a runtime writes after the stop does not hit another device's records") {
  Bench bench;
  const auto first = amd(0), second = amd(1);
  REQUIRE(bench.open(*first));
  Program program(bench.sink);
  program.offload(0, *first, 1);
  program.launch(0, *first, 40);
  bench.provider->close(0);
  REQUIRE(bench.open(*second));
  std::thread other([&] {
    program.offload(1, *second, 5);
    first->synchronize();  // its forty records are written now
    program.offload(1, *second, 5);
  });
  other.join();
  bench.provider->finish();
  auto timeline = device_timeline(program.trace({0, 1}));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(timeline.repairs["device.host_op_unknown"] == 0);
}

TEST_CASE("kernels that nobody waited for have the host's interval") {
  Bench bench;
  const auto device = amd();
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 5);
  program.launch(0, *device, 7);
  SECTION("for ever") {
    bench.provider->close(0);
    CHECK(stand_ins(device_timeline(program.trace({0}))) == 7);
  }
  SECTION("until the end") {
    device->synchronize();
    bench.provider->close(0);
    CHECK(stand_ins(device_timeline(program.trace({0}))) == 0);
  }
  CHECK(device->violations == 0);
}

TEST_CASE("a flush that never returns is left behind") {
  Faults waits;
  waits.flush_waits = true;
  Bench bench;
  const auto device = amd(0, waits);
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 5);
  program.launch(0, *device, 7);
  bench.provider->close(0);
  CHECK(bench.sink.counters["device.flush_unfinished"] == 1);
  CHECK(device->stops == 0);  // it would wait as well
  const auto timeline = device_timeline(program.trace({0}));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(stand_ins(timeline) == 7);
  device->synchronize();  // ends the flush, which has a thread of its own
  device->flush_trace();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

TEST_CASE("after a library with device code is closed the host stands in") {
  Bench bench;
  const auto device = amd();
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 5);
  unregister_amd_device(*device);
  program.offload(0, *device, 3);
  bench.provider->close(0);
  auto timeline = device_timeline(program.trace({0}));
  CHECK(stand_ins(timeline) == 9);
  CHECK(timeline.devices.at(0).asked == 24);
  CHECK(bench.sink.counters["device.flush_refused"] == 1);
}

TEST_CASE("AMD's runtime is asked for what it has, once, and for no record of a target construct") {
  Bench bench;
  const auto device = amd();
  amd_record_type_questions();
  REQUIRE(bench.open(*device));
  const std::uint64_t questions = device->questions;
  CHECK(questions <= 4);
  Program program(bench.sink);
  program.offload(0, *device, 5);
  bench.provider->pause(true);
  bench.provider->pause(false);
  bench.provider->close(0);
  CHECK(device->questions == questions);
  CHECK(device->violations == 0);
  CHECK(amd_record_type_questions() == 0);
  CHECK(bench.count_of(DeviceRecordKind::target_begin) == 0);
}

TEST_CASE("without memory a runtime that asks again at each event is asked no more often than a crash would need") {
  Faults again;
  again.null_again = true;
  Bench bench(4096, 4096);
  const auto device = amd(0, again);
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 200);
  bench.provider->close(0);
  CHECK(bench.sink.counters["device.buffers_refused"] > 0);
  CHECK(bench.sink.counters["device.buffers_refused"] < device->written / 10);
  const auto timeline = device_timeline(program.trace({0}));
  CHECK(timeline.devices.at(0).asked == 600);
  CHECK(stand_ins(timeline) == timeline.devices.at(0).without_record);
  CHECK(by_host_op(timeline).size() == 600);
}

TEST_CASE("a device that the runtime announces twice keeps its records, and no operation is there twice") {
  Bench bench;
  const auto device = amd();
  REQUIRE(bench.open(*device));
  Program program(bench.sink);
  program.offload(0, *device, 5);
  bench.provider->close(0);
  // the second time nobody but the host has it
  const auto timeline = device_timeline(program.trace({0}, DeviceProviderKind::host));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
}

TEST_CASE("a runtime for which the host is device 0 as well moves no data between devices") {
  MemorySource source;
  auto& records = source.channel(0);
  const auto copy = [&](HostOpId id, std::uint16_t optype) {
    records.push_back({10 * id, RecordKind::target_data_op, Endpoint::begin, optype, 0, id, 64});
    records.push_back({10 * id + 5, RecordKind::target_data_op, Endpoint::end, optype, 0, id, 64});
  };
  copy(1, ompt_target_data_transfer_to_device);
  copy(2, ompt_target_data_transfer_from_device);
  DeviceInfo info;
  info.provider = DeviceProviderKind::host;
  source.journal_to_fill().devices.push_back(info);
  const auto timeline = device_timeline(source);
  const auto found = by_host_op(timeline);
  REQUIRE(found.size() == 2);
  CHECK(found.at(1).at(0).kind == DeviceRecordKind::transfer_to_device);
  CHECK(found.at(2).at(0).kind == DeviceRecordKind::transfer_from_device);
}
