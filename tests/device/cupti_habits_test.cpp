// SPDX-License-Identifier: BSD-3-Clause
// The provider "cupti" against what CUPTI really does: a buffer for each thread, crashes on NULL, records that are lost
// with a switch, calls that come later than what they made.
#include "catch.hpp"

#include <cstdlib>
#include <set>
#include <thread>

#include "device/correlate/correlate.hpp"
#include "device/cupti/buffers.hpp"
#include "device/cupti/call_regions.hpp"
#include "device/cupti/calls.hpp"
#include "device/cupti/convert.hpp"
#include "device/cupti/libraries.hpp"
#include "device/cupti/provider.hpp"
#include "device/cupti/silence.hpp"
#include "device/cupti_activities.hpp"
#include "device/program.hpp"

using namespace tracer;
using namespace tracer::test;
namespace cupti = tracer::device::cupti;

namespace {

struct Bench {
  explicit Bench(std::uint32_t version = CUPTI_API_VERSION, std::size_t memory = 64 << 20) {
    FakeCupti::reset();
    api.version = version;
    api.device_count = [](int* count) { return *count = 1, CUDA_SUCCESS; };  // the driver runs
    provider = cupti::make_provider(sink, {16 << 10, memory, &monotonic, true, true, true, &api});
  }
  DeviceTimeline timeline(const std::vector<HostOperation>& operations, std::vector<ChannelInfo> channels = {}) {
    Journal journal;
    for (const auto& [number, info] : sink.devices) journal.devices.push_back(info);
    journal.device_clock = sink.clock;
    journal.channels = std::move(channels);
    return device::correlate(journal, {operations, {}},
                             [&](const auto& take) { take(std::span<const DeviceRecord>(sink.all)); });
  }
  cupti::Api api = FakeCupti::api();
  MemoryDeviceSink sink;
  std::unique_ptr<DeviceProvider> provider;
};

/// Another thread stops the regions of calls while the first name of a call becomes known.
struct SinkOfStop final : MemoryDeviceSink {
  std::uint32_t intern(std::string_view text) noexcept override {
    regions->stop();
    were_open = regions->are_open();
    return MemoryDeviceSink::intern(text);
  }
  cupti::CallRegions* regions = nullptr;
  bool were_open = false;
};

std::size_t position(const std::string& text, std::size_t from = 0) {
  for (std::size_t i = from; i < FakeCupti::log.size(); ++i)
    if (FakeCupti::log[i] == text) return i;
  return FakeCupti::log.size();
}

}  // namespace

TEST_CASE("a buffer for each of many threads: they become smaller, none is NULL, and the limit holds") {
  constexpr std::size_t limit = 16 << 20;
  cupti::Buffers buffers(1 << 20, limit);
  std::set<std::uint8_t*> all;
  std::size_t bytes = 0, scrap = 0;
  for (int i = 0; i < 400; ++i) {
    const auto lent = buffers.lend();
    REQUIRE(lent.memory != nullptr);
    REQUIRE(lent.bytes >= 1024);
    CHECK(all.insert(lent.memory).second);
    if (lent.is_scrap)
      ++scrap;
    else
      bytes += lent.bytes;
  }
  CHECK(bytes <= limit);
  CHECK(scrap < 200);  // 16 MiB are enough for more than 200 threads
  for (auto* memory : all) buffers.complete(memory, 0);
  CHECK(buffers.lent() == 0);
  buffers.release();
}

TEST_CASE("beyond all limits there is memory to write into") {
  cupti::Buffers buffers(16 << 10, 16 << 10);
  std::set<std::uint8_t*> all;
  for (int i = 0; i < 3000; ++i) {
    const auto lent = buffers.lend();
    REQUIRE(lent.memory != nullptr);
    all.insert(lent.memory);
  }
  for (auto* memory : all) buffers.complete(memory, 0);  // what CUPTI keeps is left to it
  buffers.release();
}

TEST_CASE("a buffer is asked for when nobody is there any more") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  bench.provider.reset();
  std::uint8_t* memory = nullptr;
  std::size_t size = 0, records = 0;
  FakeCupti::request(&memory, &size, &records);
  CHECK(memory != nullptr);
  CHECK(size >= 1024);
  FakeCupti::complete(nullptr, 0, memory, size, 8);
}

TEST_CASE("what is in scrap is counted as lost") {
  Bench bench(CUPTI_API_VERSION, 0);
  REQUIRE(bench.provider->prepare().accepted);
  std::uint8_t* first = nullptr;
  std::size_t size = 0, records = 0;
  FakeCupti::request(&first, &size, &records);  // one there always is
  Activities activities;
  for (unsigned i = 1; i <= 10; ++i) activities.kernel(i, monotonic(), monotonic(), 7, "k");
  FakeCupti::deliver(activities);
  bench.provider->poll();
  CHECK(bench.sink.counters["device.records_lost"] == 10);
  CHECK(bench.sink.counters["device.buffers_refused"] >= 1);
  FakeCupti::complete(nullptr, 0, first, size, 0);
}

TEST_CASE("what CUPTI has is fetched before kinds are switched off, and in a pause only the host's are") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  FakeCupti::log.clear();
  SECTION("in a pause") {
    bench.provider->pause(true);
    CHECK(position("flush 0") < position("disable 39"));
    CHECK(position("disable 10") == FakeCupti::log.size());
    CHECK(position("disable 1") == FakeCupti::log.size());
    bench.provider->pause(false);
  }
  SECTION("at the end") {
    bench.provider->finish();
    CHECK(position("flush 0") < position("disable 10"));
    CHECK(position("disable 10") < FakeCupti::log.size());
    CHECK(position("flush 0", position("disable 39")) == FakeCupti::log.size());
  }
}

TEST_CASE("the first CUDA 13.0 is never asked to switch kernels off") {
  Bench bench(130000);
  REQUIRE(bench.provider->prepare().accepted);
  bench.provider->finish();
  CHECK(position("disable 39") < FakeCupti::log.size());
  CHECK(position("disable 10") == FakeCupti::log.size());
}

TEST_CASE("twice a second CUPTI is asked for what is complete") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  for (const auto begin = monotonic(); position("flush 0") == FakeCupti::log.size();) {
    bench.provider->poll();
    REQUIRE(monotonic() - begin < 20'000'000'000u);
  }
  bench.provider->poll();
  CHECK(position("flush 0", position("flush 0") + 1) == FakeCupti::log.size());
}

TEST_CASE("of the driver's calls those that make the device do something are recorded") {
  CHECK(cupti::kind_of_call("cuLaunchKernelEx_ptsz") == cupti::CallKind::launch);
  CHECK(cupti::kind_of_call("cudaLaunchKernel_v7000") == cupti::CallKind::launch);
  CHECK(cupti::kind_of_call("cuMemcpyHtoDAsync_v2") == cupti::CallKind::copy);
  CHECK(cupti::kind_of_call("cudaMallocAsync_v11020") == cupti::CallKind::allocation);
  CHECK(cupti::kind_of_call("cuCtxGetCurrent") == cupti::CallKind::other);
  CHECK(cupti::kind_of_call("cudaGetLastError") == cupti::CallKind::other);
  Bench bench;
  bench.provider.reset();
  bench.api.callback_name = [](CUpti_CallbackDomain, std::uint32_t id, const char** name) {
    if (id != 12 && id != 307) return CUPTI_ERROR_INVALID_PARAMETER;
    return *name = id == 307 ? "cuLaunchKernel" : "cuCtxGetCurrent", CUPTI_SUCCESS;
  };
  SECTION("one by one") {
    bench.api.enable_driver_call = [](CUpti_CallbackId id, std::uint8_t on) {
      FakeCupti::log.push_back("call " + std::to_string(id) + (on ? " on" : " off"));
      return CUPTI_SUCCESS;
    };
    bench.provider = cupti::make_provider(bench.sink, {16 << 10, 1 << 20, &monotonic, true, true, true, &bench.api});
    REQUIRE(bench.provider->prepare().accepted);
    CHECK(position("call 307 on") < FakeCupti::log.size());
    CHECK(position("call 12 on") == FakeCupti::log.size());
    CHECK(position("enable 4") == FakeCupti::log.size());
    bench.provider->finish();
    CHECK(position("call 307 off") < FakeCupti::log.size());
  }
  SECTION("all, where CUPTI cannot choose") {
    bench.provider = cupti::make_provider(bench.sink, {16 << 10, 1 << 20, &monotonic, true, true, true, &bench.api});
    REQUIRE(bench.provider->prepare().accepted);
    CHECK(position("enable 4") < FakeCupti::log.size());
  }
}

TEST_CASE("a copy whose call comes in a later buffer has its thread") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  Activities first, second;
  first.copy(5, monotonic(), monotonic() + 100, 64, true);
  second.api(5, 4711);
  FakeCupti::deliver(first);
  bench.provider->poll();
  FakeCupti::deliver(second);
  bench.provider->finish();
  ChannelInfo master, other;
  master.os_thread_id = 4710;
  other.id = 1;
  other.os_thread_id = 4711;
  const auto timeline = bench.timeline({}, {master, other});
  REQUIRE(timeline.devices.at(0).streams.size() == 1);
  CHECK(timeline.devices[0].streams[0].operations.at(0).host_channel == 1);
}

TEST_CASE("kernels of a graph without times stand once on the interval of its launch") {
  Bench bench;
  REQUIRE(bench.provider->prepare().accepted);
  HostOperation launch;
  launch.id = 9;
  launch.kind = DeviceRecordKind::kernel;
  launch.begin = monotonic();
  launch.end = launch.begin + 1000;
  launch.device = 0;
  launch.channel = 0;
  Activities activities;
  activities.external(9, 1);
  for (int i = 0; i < 300; ++i) activities.kernel(1, 0, 0, 7, "node");
  FakeCupti::deliver(activities);
  bench.provider->finish();
  auto timeline = bench.timeline({launch});
  REQUIRE(timeline.devices.at(0).streams.size() == 1);
  CHECK(timeline.devices[0].streams[0].operations.size() == 1);
  CHECK(timeline.repairs["device.dropped_without_time"] == 299);
}

TEST_CASE("the data of an overhead is freed, where the library's records have it") {
  CUpti_ActivityOverhead3 overhead{};
  overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  int data = 0;
  overhead.overheadData = &data;
  const auto memory_of = [&](std::uint32_t version) {
    return cupti::Converter::memory_of(reinterpret_cast<const CUpti_Activity&>(overhead), version);
  };
  CHECK(memory_of(130000) == overhead.overheadData);
  CHECK(memory_of(26) == nullptr);
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER;
  CHECK(memory_of(130000) == nullptr);
  overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  const bool is_scrap = GENERATE(false, true);
  Bench bench(CUPTI_API_VERSION, std::size_t{is_scrap ? 0u : 64u << 20});
  REQUIRE(bench.provider->prepare().accepted);
  std::uint8_t* first = nullptr;
  std::size_t size = 0, records = 0;
  if (is_scrap) FakeCupti::request(&first, &size, &records);  // one there always is
  overhead.overheadData = std::malloc(sizeof(CUpti_ActivityOverheadCommandBufferFullData));
  Activities activities;
  activities.add(overhead);
  FakeCupti::deliver(activities);
  bench.provider->poll();  // a leak otherwise, which AddressSanitizer reports
  FakeCupti::complete(nullptr, 0, first, size, 0);
}

TEST_CASE("the libcupti of the CUDA that is loaded comes first, also from wheels that hash its name") {
  using Names = std::vector<std::string>;
  const auto names = [](const Names& loaded, const Names& there) {
    return cupti::names_of_cupti(loaded, [&](const std::string& directory) {
      Names found;
      for (const auto& path : there)
        if (path.rfind(directory, 0) == 0 && path.find('/', directory.size()) == path.npos)
          found.push_back(path.substr(directory.size()));
      return found;
    });
  };
  const std::string torch = "/venv/torch/lib/";
  CHECK(names({"/lib/libc.so.6", torch + "libcudart-d0da41ae.so.12.4.127"},
              {torch + "libcupti.so.13", torch + "libcupti-56a9ec0d.so.12", torch + "libcuptirange.so.12"})
            .at(0) == torch + "libcupti-56a9ec0d.so.12");
  CHECK(names({"/cuda/lib64/libcudart.so.12"}, {"/cuda/lib64/../extras/CUPTI/lib64/libcupti.so.12"}).at(0) ==
        "/cuda/lib64/../extras/CUPTI/lib64/libcupti.so.12");
  CHECK(names({"/x/libcudart.so.12"}, {}).at(0) == "libcupti.so.12");
  CHECK(names({}, {}).at(0) == "libcupti.so.13");
  CHECK(names({"/opt/libcupti.so.13", "/x/libcudart.so.12"}, {}).at(0) == "/opt/libcupti.so.13");
}

TEST_CASE("what calls of CUDA request is waited for before it counts as without records") {
  cupti::Silence silence;
  constexpr std::uint64_t second = 1'000'000'000;
  const auto call = [&](int n) {
    for (int i = 0; i < n; ++i) silence.called(i % 2 ? cupti::CallKind::copy : cupti::CallKind::launch);
  };
  silence.heard();
  CHECK_FALSE(silence.is_new(1 * second));
  call(1000);
  silence.called(cupti::CallKind::event);
  CHECK_FALSE(silence.is_new(10 * second));  // the first kernel may still run
  silence.called(cupti::CallKind::synchronization);
  CHECK(silence.is_new(20 * second));
  silence.called(cupti::CallKind::synchronization);
  CHECK_FALSE(silence.is_new(30 * second));
}

TEST_CASE("records that stop while operations go on are noticed, once") {
  cupti::Silence silence;
  constexpr std::uint64_t second = 1'000'000'000;
  const auto ask = [&](int n) {
    for (int i = 0; i < n; ++i) silence.asked();
  };
  ask(1000);
  silence.heard();
  CHECK_FALSE(silence.is_new(1 * second));
  ask(50);  // too few
  CHECK_FALSE(silence.is_new(10 * second));
  CHECK_FALSE(silence.is_new(20 * second));
  ask(100);
  CHECK_FALSE(silence.is_new(21 * second));
  silence.heard();
  CHECK_FALSE(silence.is_new(30 * second));
  ask(200);
  CHECK_FALSE(silence.is_new(31 * second));
  CHECK(silence.is_new(40 * second));
  CHECK_FALSE(silence.is_new(50 * second));
}

TEST_CASE("a call whose region is about to begin counts as open when the regions are stopped, and ends") {
  SinkOfStop sink;
  cupti::CallRegions regions{sink};
  sink.regions = &regions;
  bool has_ended = false;
  std::thread{[&] {
    CUpti_CallbackData call{};
    call.functionName = "cuMemAlloc_v2";
    call.callbackSite = CUPTI_API_ENTER;
    regions.callback(CUPTI_CB_DOMAIN_DRIVER_API, 1, call, true);
    call.callbackSite = CUPTI_API_EXIT;
    has_ended = regions.callback(CUPTI_CB_DOMAIN_DRIVER_API, 1, call, true);
  }}.join();
  CHECK(sink.were_open);
  CHECK(has_ended);
  CHECK_FALSE(regions.are_open());
}
