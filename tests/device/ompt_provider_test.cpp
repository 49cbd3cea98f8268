// SPDX-License-Identifier: BSD-3-Clause
// The provider "ompt" against both personalities of a device runtime, with and without faults.
#include "catch.hpp"

#include <cstdlib>
#include <thread>

#include "device/ompt/provider.hpp"
#include "device/program.hpp"
#include "tracer/convert/devices.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

enum class Personality { standard, amd };

std::unique_ptr<FakeDevice> make(Personality p, const FakeOptions& options) {
  return p == Personality::standard ? make_standard_device(options) : make_amd_device(options);
}

/// Hours ahead and 100 ppm fast.
constexpr DriftingClock hours_off{7ull * 3600 * 1'000'000'000, 100};

struct Bench {
  explicit Bench(std::size_t buffer = 16 << 10, std::size_t memory = 64 << 20)
      : provider(device::ompt::make_provider(sink, {buffer, memory, &VirtualClock::now})) {}
  DeviceAnswer open(FakeDevice& device) {
    auto& info = sink.devices[device.options.number];
    return provider->open(device.description(), info);
  }
  std::uint64_t count_of(std::initializer_list<DeviceRecordKind> kinds) const {
    std::uint64_t n = 0;
    for (const auto& r : sink.all) n += std::count(kinds.begin(), kinds.end(), r.kind);
    return n;
  }
  MemoryDeviceSink sink;
  std::unique_ptr<DeviceProvider> provider;
};

unsigned stress(unsigned normal) {
  const char* text = std::getenv("TRACER_STRESS");
  return text ? normal * static_cast<unsigned>(std::max(1, std::atoi(text))) : normal;
}

}  // namespace

TEST_CASE("every record of a device arrives once, tied to its operation, at the right time") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Bench bench;
  const auto device = make(personality, {0, hours_off, {}, false, true});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  std::thread other([&] { program.offload(1, *device, 500); });
  program.offload(0, *device, 500);
  other.join();
  bench.provider->close(0);
  const auto timeline = device_timeline(program.trace({0}));
  CHECK(device->violations == 0);
  CHECK(device->delivered == device->written);
  CHECK(bench.sink.all.size() == device->delivered);
  CHECK(disorder(timeline).empty());
  CHECK(program.truth.size() == 3000);
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(timeline.repairs.empty());
  CHECK(timeline.counters.count("device.operations_without_record") == 0);
}

TEST_CASE("a device's clock that is hours off and drifts is fitted to 1 us over an hour") {
  Bench bench;
  const auto device = make_amd_device({0, hours_off, {}, false, true});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  for (ChannelId channel = 0; channel < 10; ++channel) {
    program.offload(channel, *device, 10);
    VirtualClock::advance(360ull * 1'000'000'000);
  }
  bench.provider->close(0);
  CHECK(right(device_timeline(program.trace({0})), program.truth, 1000) == program.truth.size());
}

TEST_CASE("a device whose clock cannot be read is placed by the runtime's translate_time") {
  MemoryDeviceSink sink;
  const auto wtime = +[] { return static_cast<double>(VirtualClock::now()) * 1e-9; };
  const auto provider = device::ompt::make_provider(sink, {16 << 10, 64 << 20, &VirtualClock::now, wtime});
  const auto device = make_standard_device({0, hours_off, {}, false, false});
  REQUIRE(provider->open(device->description(), sink.devices[0]).accepted);
  CHECK(sink.devices[0].properties.at("trace_buffer_bytes_recommended") == "65536");
  VirtualClock::advance(2'000'000);
  Program program(sink);
  program.offload(0, *device, 500);
  provider->close(0);
  auto timeline = device_timeline(program.trace({0}));
  CHECK(timeline.repairs.count("device.clock_guessed") == 0);
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
}

TEST_CASE("faults of the runtime are repaired or counted, and nothing that was delivered is lost") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Faults faults;
  faults.missing_times = 11;
  faults.end_before_begin = 13;
  faults.wrong_host_op = 7;
  faults.unknown_host_op = 17;
  faults.invalid_records = personality == Personality::standard ? 19 : 0;
  faults.without_abstract = personality == Personality::standard ? 23 : 0;
  faults.late_completion = true;
  Bench bench;
  const auto device = make(personality, {0, hours_off, faults, false, true});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  std::thread other([&] { program.offload(1, *device, 300); });
  program.offload(0, *device, 300);
  other.join();
  bench.provider->close(0);
  CHECK(device->violations == 0);
  CHECK(device->faulty > 100);
  CHECK(bench.sink.all.size() + bench.sink.counters["device.records_unreadable"] == device->delivered);
  CHECK(bench.sink.counters["device.records_unreadable"] == device->invalid);
  auto timeline = device_timeline(program.trace({0}));
  CHECK(disorder(timeline).empty());
  std::uint64_t operations = 0;
  for (const auto& stream : timeline.devices.at(0).streams) operations += stream.operations.size();
  const auto records = bench.count_of(
      {DeviceRecordKind::kernel, DeviceRecordKind::transfer_to_device, DeviceRecordKind::transfer_from_device});
  // where a record had neither times nor a number that means something, the host's interval stands in
  CHECK(operations + timeline.repairs["device.dropped_without_time"] - stand_ins(timeline) == records);
  CHECK(stand_ins(timeline) <= timeline.repairs["device.dropped_without_time"]);
  CHECK(records == program.truth.size());
  CHECK(timeline.repairs["device.host_op_wrong"] > 10);
  CHECK(timeline.repairs["device.host_op_unknown"] > 10);
  CHECK(timeline.repairs["device.time_missing"] > 10);
  CHECK(timeline.repairs["device.end_before_begin"] > 10);
  // those with the wrong id found their own operation: all are tied but those with an unknown one
  CHECK(by_host_op(timeline).size() + timeline.repairs["device.host_op_unknown"] >= program.truth.size());
}

TEST_CASE("native records are read through their abstract description and become kernels") {
  Bench bench;
  FakeOptions options{0, hours_off, {}, true, true};
  const auto device = make_standard_device(options);
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  program.offload(0, *device, 100);
  bench.provider->close(0);
  CHECK(bench.count_of({DeviceRecordKind::native}) == 100);
  const auto timeline = device_timeline(program.trace({0}));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
}

TEST_CASE("nothing is recorded while paused, and recording goes on after") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Bench bench;
  const auto device = make(personality, {0, hours_off, {}, false, true});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  program.offload(0, *device, 10);
  bench.provider->pause(true);
  program.offload(1, *device, 10);
  bench.provider->pause(false);
  program.offload(2, *device, 10);
  bench.provider->close(0);
  // AMD's runtime has no pause: what comes is left out when the trace is converted
  CHECK(bench.count_of({DeviceRecordKind::kernel}) == (personality == Personality::amd ? 30 : 20));
  CHECK(bench.sink.all.size() == device->delivered);
  CHECK(device->violations == 0);
}

TEST_CASE("two devices at once, one of them finalised in the middle and opened again") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Bench bench;
  const auto first = make(personality, {0, hours_off, {}, false, true});
  const auto second = make(personality, {1, {3, -100}, {}, false, true});
  REQUIRE(bench.open(*first).accepted);
  REQUIRE(bench.open(*second).accepted);
  Program program(bench.sink);
  std::thread other([&] { program.offload(1, *second, 200); });
  program.offload(0, *first, 50);
  bench.provider->close(0);
  REQUIRE(bench.open(*first).accepted);
  program.offload(2, *first, 50);
  other.join();
  bench.provider->finish();
  bench.provider->finish();
  CHECK(first->violations + second->violations == 0);
  const auto timeline = device_timeline(program.trace({0, 1}));
  CHECK(right(timeline, program.truth, 1000) == program.truth.size());
  CHECK(timeline.devices.size() == 2);
}

TEST_CASE("without memory for buffers recording stops, counted, and the program runs on") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Bench bench(4096, 8192);
  const auto device = make(personality, {0, {}, {}, false, true});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  std::thread second([&] { program.offload(1, *device, 100); });
  std::thread third([&] { program.offload(2, *device, 100); });
  program.offload(0, *device, 100);
  second.join();
  third.join();
  bench.provider->poll();
  program.offload(3, *device, 100);
  bench.provider->close(0);
  CHECK(device->violations == 0);
  CHECK(bench.sink.counters["device.buffers_refused"] > 0);
  CHECK(bench.sink.counters["device.records_lost"] > 0);
  const auto arrived = bench.sink.all.size() - bench.count_of({DeviceRecordKind::lost});
  CHECK(arrived + bench.sink.counters["device.records_lost"] == device->delivered);
  CHECK(program.truth.size() == 1200);
  CHECK(disorder(device_timeline(program.trace({0}))).empty());
}

TEST_CASE("a device whose clock cannot be read is placed by what the host asked for") {
  Bench bench;
  const auto device = make_standard_device({0, {3600ull * 1'000'000'000, 0}, {}, false, false});
  REQUIRE(bench.open(*device).accepted);
  Program program(bench.sink);
  program.offload(0, *device, 100);
  bench.provider->close(0);
  CHECK(bench.sink.clock.empty());
  auto timeline = device_timeline(program.trace({0}));
  CHECK(timeline.repairs["device.clock_guessed"] == 1);
  CHECK(right(timeline, program.truth, 5000) == program.truth.size());
}

TEST_CASE("devices that cannot be traced are refused with a reason") {
  Bench bench;
  DeviceInfo info;
  const auto refused =
      bench.provider->open({0, "generic-64bit", nullptr, [](const char*) -> void (*)() { return nullptr; }}, info);
  CHECK_FALSE(refused.accepted);
  CHECK(std::string(refused.reason).find("ompt_start_trace") != std::string::npos);
  CHECK_FALSE(bench.provider->open({0, "x", nullptr, nullptr}, info).accepted);
  Faults no_start;
  no_start.no_start = true;
  const auto device = make_amd_device({0, {}, no_start, false, true});
  CHECK_FALSE(bench.open(*device).accepted);
  bench.provider->finish();
}

TEST_CASE("a second provider is refused while one lives") {
  Bench bench;
  MemoryDeviceSink sink;
  CHECK(device::ompt::make_provider(sink, {1 << 16, 1 << 20, &VirtualClock::now}) == nullptr);
  bench.provider.reset();
  CHECK(device::ompt::make_provider(sink, {1 << 16, 1 << 20, &VirtualClock::now}) != nullptr);
}

TEST_CASE("a million records pass through one device") {
  const auto personality = GENERATE(Personality::standard, Personality::amd);
  Bench bench(1 << 20, 256 << 20);
  const auto device = make(personality, {0, hours_off, {}, false, true});
  REQUIRE(bench.open(*device).accepted);
  const unsigned n = stress(1'000'000);
  for (unsigned i = 1; i <= n; ++i) {
    Operation op;
    op.host_op_id = i;
    op.duration = 10;
    device->launch(op);
    if (i % 4096 == 0) {
      device->synchronize();
      bench.provider->poll();
    }
  }
  device->synchronize();
  bench.provider->close(0);
  CHECK(device->violations == 0);
  REQUIRE(bench.sink.all.size() == n);
  std::vector<bool> seen(n + 1);
  std::uint64_t twice = 0;
  for (const auto& r : bench.sink.all) {
    if (seen[r.host_op_id]) ++twice;
    seen[r.host_op_id] = true;
  }
  CHECK(twice == 0);
}
