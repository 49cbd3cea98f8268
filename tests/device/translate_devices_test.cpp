// SPDX-License-Identifier: BSD-3-Clause
// A device's timeline as events and definitions, from a trace of the host's provider and of the ompt one.
#include "catch.hpp"

#include <thread>

#include "device/ompt/provider.hpp"
#include "device/program.hpp"
#include "support/records.hpp"
#include "tracer/convert/devices.hpp"
#include "tracer/kernel_shape.hpp"
#include "tracer/ompt_values.hpp"
#include "tracer/translate/devices/occupancy.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

/// Two threads, two devices, recorded by `provider`.
struct Translated {
  explicit Translated(DeviceProviderKind provider_kind, unsigned steps = 5) : program(sink) {
    auto provider = device::ompt::make_provider(sink, {1 << 16, 64 << 20, &VirtualClock::now});
    const auto first = make_standard_device({0, {1'000'000'000'000, 50}, {}, false, true});
    const auto second = make_amd_device({1, {77, -100}, {}, false, true});
    DeviceInfo info;
    if (provider_kind == DeviceProviderKind::ompt) {
      REQUIRE(provider->open(first->description(), info).accepted);
      REQUIRE(provider->open(second->description(), info).accepted);
    }
    std::thread other([&] { program.offload(1, *second, steps); });
    program.offload(0, *first, steps);
    other.join();
    provider->finish();
    auto& source = program.trace({0, 1}, provider_kind);
    timeline = device_timeline(source);
    translate::TranslateOptions options;
    options.devices = &timeline;
    report = translate::translate(source, archive, options);
  }
  MemoryDeviceSink sink;
  Program program;
  MemorySink archive;
  DeviceTimeline timeline;
  translate::TranslateReport report;
};

std::uint64_t attribute_of(const MemorySink& sink, const std::vector<EventAttribute>& attributes, std::size_t first,
                           std::size_t count, const std::string& name) {
  for (std::size_t i = first; i < first + count; ++i) {
    if (sink.definitions.attributes.at(attributes[i].attribute).name == name) return attributes[i].value;
  }
  return 0;
}

}  // namespace

TEST_CASE("devices become nodes, groups, streams, kernels and completed transfers") {
  const auto provider = GENERATE(DeviceProviderKind::host, DeviceProviderKind::ompt);
  Translated t(provider);
  const auto& d = t.archive.definitions;
  CHECK(t.report.streams == 2);
  REQUIRE(d.groups_of_locations.size() == 3);
  for (std::size_t g = 1; g < 3; ++g) {
    CHECK(d.groups_of_locations[g].kind == LocationGroupKind::accelerator);
    CHECK(d.groups_of_locations[g].creating_group == 0);
    CHECK(d.nodes.at(d.groups_of_locations[g].system_tree_parent).domain == NodeDomain::accelerator_device);
  }
  REQUIRE(d.windows.size() == 1);
  CHECK(d.groups.at(d.comms.at(d.windows[0].comm).group).members.size() == 4);
  unsigned kernels = 0, gets = 0, puts = 0, completions = 0, linked = 0;
  std::uint64_t moved = 0;
  for (LocationRef l = 2; l < d.locations.size(); ++l) {
    CHECK(d.locations[l].kind == LocationKind::accelerator_stream);
    const auto& location = t.archive.locations.at(l);
    CHECK(location.closed);
    std::size_t next = 0;
    Nanoseconds last = 0;
    std::uint64_t memory = 1;
    for (const auto& e : location.events) {
      CHECK(e.time >= last);
      last = e.time;
      const auto id = attribute_of(t.archive, location.attributes, next, e.attributes, "HOST_OP_ID");
      next += e.attributes;
      if (e.type == EventType::enter) kernels += d.regions.at(e.ref).role == RegionRole::kernel;
      if (e.type == EventType::rma_get) ++gets, moved += e.a;
      if (e.type == EventType::rma_put) ++puts, moved += e.a;
      if (e.type == EventType::rma_op_complete_blocking) ++completions;
      if (e.type == EventType::metric_uint) memory = e.a;
      if (t.program.truth.count(id)) ++linked;
    }
    CHECK(memory == 0);  // everything was freed
  }
  CHECK((kernels == 10 && gets == 10 && puts == 10 && completions == 20));
  CHECK(linked == t.program.truth.size());
  CHECK(moved == 2 * 2 * (64 + 65 + 66 + 67 + 68));
  CHECK(t.report.repairs.empty());
}

TEST_CASE("the content of a copy from a device counts where its data was there by then, that of one to it always") {
  const bool is_host = GENERATE(true, false);
  MemorySource source;
  DeviceInfo device;
  device.type = is_host ? "generic-64bit" : "gfx942";
  device.provider = DeviceProviderKind::host;
  source.journal_to_fill().devices.push_back(device);
  auto& records = source.channel(0);
  records.push_back({10, RecordKind::thread_begin, Endpoint::begin, 1, 0, 1, 0});
  const auto copy = [&](Ticks begin, std::uint16_t optype, std::uint32_t devices, HostOpId id, std::uint64_t hash) {
    records.push_back({begin, RecordKind::target_data_op, Endpoint::begin, optype, devices, id, 4096});
    records.push_back({0x1000, RecordKind::more, Endpoint::none, 0, 0, 0x9000, 0x401000});
    records.push_back({begin + 10, RecordKind::target_data_op, Endpoint::end, optype, devices, id, 4096});
    records.push_back({0x1000, RecordKind::more, Endpoint::none, 1, 0, 0x9000, hash});
  };
  copy(20, data_op::to_device, 0x0000ffff, make_id(0, 1), 77);
  copy(40, data_op::from_device, 0xffff0000, make_id(0, 2), 78);
  const auto timeline = device_timeline(source);
  MemorySink sink;
  translate::TranslateOptions options;
  options.devices = &timeline;
  translate::translate(source, sink, options);
  std::vector<std::uint64_t> contents;
  for (const Event& event : sink.locations.at(0).events)
    if (event.type == EventType::parameter_uint && sink.definitions.parameters.at(event.ref).name == "content hash")
      contents.push_back(event.a);
  CHECK(contents == (is_host ? std::vector<std::uint64_t>{77, 78} : std::vector<std::uint64_t>{77}));
}

TEST_CASE("what the driver moves is regions of a stream, and the values of all metrics of a device are in order") {
  MemorySource source;
  DeviceInfo device;
  device.type = "sm_90";
  device.provider = DeviceProviderKind::cupti;
  device.paradigm_hint = 1;
  source.journal_to_fill().devices.push_back(device);
  source.channel(0).push_back({10, RecordKind::thread_begin, Endpoint::begin, 1, 0, 1, 0});
  DeviceTimeline timeline;
  auto& track = timeline.devices.emplace_back();
  auto& stream = track.streams.emplace_back();
  stream.name = "CUDA[0] unified memory";
  stream.provider = DeviceProviderKind::cupti;
  for (const auto kind : {DeviceRecordKind::migration_to_device, DeviceRecordKind::migration_from_device}) {
    auto& operation = stream.operations.emplace_back();
    operation.kind = kind;
    operation.start = 100 * stream.operations.size();
    operation.end = operation.start + 50;
    operation.bytes = 65536;
  }
  track.metrics[DeviceMetric::host_page_faults] = {{60, 1}, {190, 2}};
  track.metrics[DeviceMetric::pools_reserved] = {{120, 4096}, {180, 8192}, {400, 0}};
  MemorySink sink;
  translate::TranslateOptions options;
  options.devices = &timeline;
  translate::translate(source, sink, options);
  std::vector<std::string> found;
  const auto& location = sink.locations.at(1);
  std::size_t next = 0;
  for (const Event& event : location.events) {
    if (event.type == EventType::metric_uint)
      found.push_back(sink.definitions.metrics.at(event.ref).name + " " + std::to_string(event.a));
    if (event.type == EventType::enter)
      found.push_back(
          sink.definitions.regions.at(event.ref).name + " " +
          std::to_string(attribute_of(sink, location.attributes, next, event.attributes, "ALLOCATION_SIZE")));
    next += event.attributes;
  }
  CHECK(found == std::vector<std::string>{"Host page faults 1", "unified memory to device 65536",
                                          "Device memory pools reserved 4096", "Device memory pools reserved 8192",
                                          "Host page faults 2", "unified memory from device 65536",
                                          "Device memory pools reserved 0"});
}

TEST_CASE("page faults of a pause are left out, and the sums behind it are without them; what there is stays true") {
  MemorySource source;
  DeviceInfo device;
  device.type = "sm_90";
  device.provider = DeviceProviderKind::cupti;
  source.journal_to_fill().devices.push_back(device);
  source.channel(0) = {{10, RecordKind::thread_begin, Endpoint::begin, 1, 0, 1, 0},
                       control_tool(100, control_command::pause),
                       control_tool(200, control_command::start)};
  DeviceTimeline timeline;
  auto& metrics = timeline.devices.emplace_back().metrics;
  metrics[DeviceMetric::host_page_faults] = {{60, 1}, {120, 4}, {190, 9}, {250, 11}};
  metrics[DeviceMetric::device_page_faults] = {{150, 3}};
  metrics[DeviceMetric::pools_reserved] = {{150, 4096}};
  MemorySink sink;
  translate::TranslateOptions options;
  options.devices = &timeline;
  translate::translate(source, sink, options);
  std::vector<std::string> found;
  for (const Event& event : sink.locations.at(1).events)
    if (event.type == EventType::metric_uint)
      found.push_back(sink.definitions.metrics.at(event.ref).name + " " + std::to_string(event.a));
  CHECK(found ==
        std::vector<std::string>{"Host page faults 1", "Device memory pools reserved 4096", "Host page faults 3"});
  CHECK(sink.definitions.metrics.size() == 2);
}

TEST_CASE("an archive without devices defines nothing of them") {
  MemorySource source;
  source.channel(0).push_back({10, RecordKind::thread_begin, Endpoint::begin, 1, 0, 1, 0});
  const auto timeline = device_timeline(source);
  MemorySink sink;
  translate::TranslateOptions options;
  options.devices = &timeline;
  translate::translate(source, sink, options);
  CHECK(sink.definitions.windows.empty());
  CHECK(sink.definitions.paradigms.size() == 1);
  CHECK(sink.definitions.metrics.empty());
}

TEST_CASE("a kernel's shape survives its record, to the largest that CUDA has") {
  KernelShape shape;
  shape.grid[0] = 0x7fffffff, shape.grid[1] = 65535, shape.grid[2] = 65535;
  shape.block[0] = 1024, shape.block[1] = 1, shape.block[2] = 64;
  shape.registers = 255;
  shape.static_shared = 49152;
  shape.dynamic_shared = 232448;
  DeviceRecord record{};
  CHECK_FALSE(shape_of(record).is_known());
  set_shape(record, shape);
  const auto read = shape_of(record);
  CHECK(read.is_known());
  CHECK((read.grid[0] == 0x7fffffff && read.grid[1] == 65535 && read.grid[2] == 65535));
  CHECK((read.block[0] == 1024 && read.block[1] == 1 && read.block[2] == 64));
  CHECK((read.registers == 255 && read.static_shared == 49152 && read.dynamic_shared == 232448));
}

TEST_CASE("occupancy says how many threads fit, and what limits them") {
  // NVIDIA's occupancy calculator, compute capability 9.0
  const std::map<std::string, std::string> h100{{"threads_per_warp", "32"},
                                                {"warps_per_compute_unit", "64"},
                                                {"blocks_per_compute_unit", "32"},
                                                {"registers_per_compute_unit", "65536"},
                                                {"shared_memory_per_compute_unit", "233472"}};
  const auto of = [&](std::uint32_t threads, std::uint32_t registers, std::uint32_t shared) {
    KernelShape shape;
    shape.block[0] = threads, shape.block[1] = shape.block[2] = 1;
    shape.registers = registers;
    shape.static_shared = shared;
    const auto found = translate::occupancy(shape, h100);
    return std::to_string(found.percent) + " " + found.limit;
  };
  CHECK(of(256, 32, 0) == "100 warps");
  CHECK(of(256, 64, 0) == "50 registers");
  CHECK(of(32, 16, 0) == "50 blocks");
  CHECK(of(1024, 255, 0) == "0 registers");
  CHECK(of(128, 32, 100 << 10) == "12 shared memory");
  CHECK(translate::occupancy({}, h100).percent == 0);
}

TEST_CASE("properties and kernels that no device has leave the occupancy unknown") {
  const auto of = [](std::uint32_t threads, const char* per_warp, const char* registers) {
    KernelShape shape;
    for (std::uint32_t& size : shape.block) size = threads;
    shape.registers = 2;
    return translate::occupancy(shape, {{"threads_per_warp", per_warp},
                                        {"warps_per_compute_unit", "64"},
                                        {"registers_per_compute_unit", registers}})
        .percent;
  };
  CHECK(of(4, "18446744073709551615", "0") == 0);
  CHECK(of(4, "9223372036854775808", "65536") == 0);
  CHECK(of(0xffffffff, "32", "65536") == 0);
  CHECK(of(4, "32", "18446744073709551615") != 0);
}
