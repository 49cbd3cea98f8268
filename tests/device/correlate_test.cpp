// SPDX-License-Identifier: BSD-3-Clause
// Clocks, streams, memory and the join of records with host operations.
#include "catch.hpp"

#include <cstdint>
#include <map>
#include <vector>

#include "device/correlate/clock_map.hpp"
#include "device/correlate/correlate.hpp"
#include "device/correlate/memory.hpp"
#include "device/correlate/streams.hpp"
#include "device/program.hpp"

using namespace tracer;
using namespace tracer::device;

namespace {

PlacedOperation placed(Ticks start, Ticks end, std::uint64_t stream = 0,
                       DeviceRecordKind kind = DeviceRecordKind::kernel) {
  PlacedOperation p;
  p.operation.start = start;
  p.operation.end = end;
  p.operation.kind = kind;
  p.stream = stream;
  p.provider = DeviceProviderKind::cupti;
  return p;
}

DeviceRecord record(DeviceRecordKind kind, std::uint64_t start, std::uint64_t end, HostOpId id = no_id) {
  DeviceRecord r{};
  r.kind = kind;
  r.start = start;
  r.end = end;
  r.host_op_id = id;
  r.source_device = r.destination_device = -1;
  return r;
}

/// The submit of a kernel, number 5.
HostOperation submit_at(Ticks begin, std::int32_t device = 0) {
  HostOperation submit;
  submit.id = 5;
  submit.begin = begin;
  submit.device = device;
  submit.kind = DeviceRecordKind::kernel;
  return submit;
}

Journal one_device() {
  Journal journal;
  DeviceInfo info;
  info.provider = DeviceProviderKind::ompt;
  journal.devices.push_back(info);
  return journal;
}

DeviceTimeline run(const Journal& journal, std::vector<HostOperation> operations, std::vector<DeviceRecord> records) {
  return correlate(journal, {std::move(operations), {}},
                   [&](const auto& take) { take(std::span<const DeviceRecord>(records)); });
}

}  // namespace

TEST_CASE("a clock map goes through its points and follows a change of drift") {
  const std::vector<DeviceClockSync> points{
      {0, 1'000, 5'000'000'000}, {0, 1'000'001'000, 6'000'100'000}, {0, 2'000'001'000, 7'000'000'000}};
  const ClockMap map(points, 1);
  for (const auto& p : points) CHECK(map(p.device_time) == p.host);
  CHECK(map(5'500'050'000) == 500'001'000);
  CHECK(map(8'000'000'000) > 2'999'000'000u);
}

TEST_CASE("points that run backwards are left out and counted") {
  const std::vector<DeviceClockSync> points{{0, 100, 1000}, {0, 200, 900}, {0, 300, 1200}};
  const ClockMap map(points, 1);
  CHECK(map.dropped() == 1);
  CHECK(map(1100) == 200);
}

TEST_CASE("a single point continues with the nominal slope, also before it") {
  const std::vector<DeviceClockSync> points{{0, 1000, 50'000}};
  const ClockMap map(points, 2.5);
  CHECK(map(50'100) == 1250);
  CHECK(map(49'900) == 750);
  CHECK(map(1) == 0);
}

TEST_CASE("what overlaps its predecessors goes to the next virtual stream") {
  DeviceTimeline timeline;
  const auto streams =
      make_streams(3, 1, {placed(10, 20, 7), placed(15, 30, 7), placed(20, 25, 7), placed(26, 28, 7)}, timeline);
  REQUIRE(streams.size() == 2);
  CHECK(streams[0].name == "CUDA[3:7]");
  CHECK(streams[1].name == "CUDA[3:7].1");
  CHECK(streams[0].operations.size() == 3);
  CHECK(timeline.counters["device.on_virtual_stream"] == 1);
}

TEST_CASE("waiting for no stream is the device's, beside its streams' waiting") {
  DeviceTimeline timeline;
  const auto streams = make_streams(0, 1,
                                    {placed(10, 20, 7), placed(20, 30, 7, DeviceRecordKind::synchronize),
                                     placed(30, 40, no_stream, DeviceRecordKind::synchronize)},
                                    timeline);
  REQUIRE(streams.size() == 3);
  CHECK(streams[1].name == "CUDA[0:7] synchronization");
  CHECK(streams[1].provider_stream == 7);
  CHECK(streams[2].name == "CUDA[0] synchronization");
  CHECK(streams[2].provider_stream == 0);  // no property of a stream
}

TEST_CASE("a hundred operations at once need a hundred streams, and names stay unique") {
  DeviceTimeline timeline;
  std::vector<PlacedOperation> all;
  for (int i = 0; i < 100; ++i) all.push_back(placed(10, 20));
  all.push_back(placed(10, 20, 0, DeviceRecordKind::synchronize));
  all.push_back(placed(10, 20, 0, DeviceRecordKind::overhead));
  const auto streams = make_streams(0, 0, all, timeline);
  CHECK(streams.size() == 102);
  std::set<std::string> names;
  for (const auto& s : streams) names.insert(s.name);
  CHECK(names.size() == streams.size());
}

TEST_CASE("beyond the most virtual streams operations are shortened, not lost") {
  DeviceTimeline timeline;
  std::vector<PlacedOperation> all;
  for (int i = 0; i < 300; ++i) all.push_back(placed(10, 20));
  const auto streams = make_streams(0, 0, all, timeline);
  std::size_t n = 0;
  for (const auto& s : streams) n += s.operations.size();
  CHECK(n == 300);
  CHECK(timeline.repairs["device.overlap_shortened"] == 44);
}

TEST_CASE("freed bytes are those of the allocation, and the sum is never negative") {
  Counters counters;
  const auto samples = memory_in_use(
      {{10, 0xa, 100, false}, {20, 0xb, 50, false}, {30, 0xa, 0, true}, {40, 0xc, 5, true}, {50, 0xb, 70, false}}, {},
      counters);
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].value == 150);
  CHECK(samples[2].value == 50);
  CHECK(samples[3].value == 70);
  CHECK(counters["device.free_unknown"] == 1);
  CHECK(counters["device.free_missed"] == 1);
}

TEST_CASE("an allocation of more than any device has does not make the sum negative") {
  Counters counters;
  const auto samples = memory_in_use(
      {{10, 0xa, 100, false}, {20, 0xb, ~std::uint64_t{0}, false}, {30, 0xb, 0, true}, {40, 0xa, 0, true}}, {},
      counters);
  REQUIRE(samples.size() == 4);
  CHECK(samples[1].value == 100);
  CHECK(samples[2].value == 100);
  CHECK(samples[3].value == 0);
  CHECK(counters == Counters{{"device.allocation_too_large", 1}});
}

TEST_CASE("the sizes of a device's memory pools add up, and one that no device has does not count") {
  Counters counters;
  const auto sizes = sizes_of_pools(
      {{20, 0xb, 200, 20}, {10, 0xa, 100, 50}, {30, 0xa, 300, 60}, {40, 0xb, 0, 0}, {50, 0xc, ~std::uint64_t{0}, 1}},
      counters);
  std::vector<std::uint64_t> reserved, in_use;
  for (const auto& sample : sizes.reserved) reserved.push_back(sample.value);
  for (const auto& sample : sizes.in_use) in_use.push_back(sample.value);
  CHECK(reserved == std::vector<std::uint64_t>{100, 300, 500, 300, 300});
  CHECK(in_use == std::vector<std::uint64_t>{50, 70, 80, 60, 60});
  CHECK(counters == Counters{{"device.allocation_too_large", 1}});
}

TEST_CASE("a running sum of more than anything can have stays where it is") {
  const auto sums = running_sum({{20, ~std::uint64_t{0}}, {10, 5}, {30, 7}});
  REQUIRE(sums.size() == 3);
  CHECK(sums[0].value == 5);
  CHECK(sums[1].value == std::uint64_t{1} << 62);
  CHECK(sums[2].value == sums[1].value);
}

TEST_CASE("memory that the runtime keeps for later and gives back in the end is freed twice") {
  Counters counters;
  const auto samples = memory_in_use(
      {{10, 0xa, 100, false}, {20, 0xa, 0, true}, {30, 0xa, 100, true}, {40, 0xb, 1, true}}, {0xa}, counters);
  REQUIRE(samples.size() == 2);
  CHECK(samples[1].value == 0);
  CHECK(counters == Counters{{"device.free_unknown", 1}});
}

TEST_CASE("a kernel is not older than its submit") {
  HostOperation submit = submit_at(1000);
  submit.end = 3000;
  submit.channel = 2;
  auto timeline = run(one_device(), {submit}, {record(DeviceRecordKind::kernel, 900, 2000, 5)});
  const auto& op = timeline.devices.at(0).streams.at(0).operations.at(0);
  CHECK((op.start == 1000 && op.end == 2000 && op.host_channel == 2));
  CHECK(timeline.repairs["device.clamped_to_submit"] == 1);
}

TEST_CASE("a record that names another device than the host asked for is moved there") {
  auto journal = one_device();
  DeviceInfo second;
  second.number = 1;
  journal.devices.push_back(second);
  const HostOperation submit = submit_at(10, 1);
  auto timeline = run(journal, {submit}, {record(DeviceRecordKind::kernel, 20, 30, 5)});
  CHECK(timeline.devices.at(1).streams.size() == 1);
  CHECK(timeline.repairs["device.number_corrected"] == 1);
}

TEST_CASE("operations without a record are counted") {
  const HostOperation submit = submit_at(0);
  auto timeline = run(one_device(), {submit}, {});
  CHECK(timeline.counters["device.operations_without_record"] == 1);
}

TEST_CASE("a correlation may arrive after what it belongs to") {
  const HostOperation submit = submit_at(10);
  auto kernel = record(DeviceRecordKind::kernel, 20, 30);
  kernel.correlation = 77;
  auto link = record(DeviceRecordKind::correlation, 0, 0, 5);
  link.correlation = 77;
  const auto timeline = run(one_device(), {submit}, {kernel, link});
  CHECK(timeline.devices.at(0).streams.at(0).operations.at(0).host_op_id == 5);
}

TEST_CASE("a copy that CUPTI saw inside a launch is nobody's data operation") {
  HostOperation submit = submit_at(10);
  submit.channel = 3;
  submit.target_id = 9;
  auto copy = record(DeviceRecordKind::transfer_to_device, 20, 30, 5);
  copy.provider = DeviceProviderKind::cupti;
  const auto timeline = run(one_device(), {submit}, {copy});
  const auto& op = timeline.devices.at(0).streams.at(0).operations.at(0);
  CHECK((op.host_op_id == no_id && op.target_id == 9 && op.host_channel == 3));
  CHECK(timeline.repairs.empty());
}

TEST_CASE("what a call inside a target construct made belongs to the construct, where nothing else says so") {
  HostOperation submit = submit_at(10);
  submit.target_id = 9;
  submit.codeptr = 0x900;
  std::vector<DeviceRecord> records;
  for (const std::uint64_t call : {21, 22, 23, 0}) {
    records.push_back(record(DeviceRecordKind::kernel, 20 + 10 * call, 25 + 10 * call));
    records.back().correlation = call;
    records.back().provider = DeviceProviderKind::cupti;
  }
  records[1].host_op_id = 5;  // the runtime says so
  const HostRequests requests{{submit}, {{21, {7, 0x700}}, {22, {7, 0x700}}}};
  const auto timeline =
      correlate(one_device(), requests, [&](const auto& take) { take(std::span<const DeviceRecord>(records)); });
  std::map<std::uint64_t, std::pair<TargetId, std::uint64_t>> found;
  for (const auto& stream : timeline.devices.at(0).streams)
    for (const auto& op : stream.operations) found[op.correlation] = {op.target_id, op.codeptr};
  CHECK(found == decltype(found){{21, {7, 0x700}}, {22, {9, 0x900}}, {23, {no_id, 0}}, {0, {no_id, 0}}});
}

TEST_CASE("a fetch has landed where it copies before it returns: on the host as a device, and into pageable memory") {
  constexpr std::uint32_t pageable = 1, pinned = 2;
  HostOperation fetch = submit_at(1000);
  fetch.kind = DeviceRecordKind::transfer_from_device;
  fetch.end = 3000;
  const auto has_landed = [&](const char* type, DeviceProviderKind provider, std::uint32_t memory, Ticks end) {
    Journal journal = one_device();
    journal.devices[0].type = type;
    journal.strings = {{pageable, "pageable"}, {pinned, "pinned"}};
    DeviceRecord copy = record(DeviceRecordKind::transfer_from_device, 2000, end, fetch.id);
    copy.provider = provider;
    copy.name = memory;
    const auto landed = run(journal, {fetch}, end != 0 ? std::vector{copy} : std::vector<DeviceRecord>{}).landed;
    if (!landed.empty()) CHECK(landed == std::vector{fetch.id});
    return !landed.empty();
  };
  CHECK(has_landed("sm_90", DeviceProviderKind::cupti, pageable, 2900));
  CHECK_FALSE(has_landed("sm_90", DeviceProviderKind::cupti, pageable, 3100));
  CHECK_FALSE(has_landed("sm_90", DeviceProviderKind::cupti, pinned, 2900));
  CHECK_FALSE(has_landed("gfx942", DeviceProviderKind::ompt, 0, 2900));
  CHECK_FALSE(has_landed("sm_90", DeviceProviderKind::cupti, pageable, 0));  // no record
  CHECK(has_landed("generic-64bit", DeviceProviderKind::host, 0, 0));
}

TEST_CASE("a run without devices has an empty timeline") {
  CHECK(run(Journal{}, {}, {record(DeviceRecordKind::kernel, 1, 2)}).empty());
}
