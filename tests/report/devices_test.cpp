// SPDX-License-Identifier: BSD-3-Clause
// The account of a device and its streams: each moment in one place, and why it is idle.
#include "catch.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"
#include "tracer/replay/attributes.hpp"
#include "tracer/replay/timeline.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1000 * ms;

std::uint64_t sum(const Json& times) {
  std::uint64_t all = 0;
  for (const auto& [name, ns] : times.items()) all += ns.get<std::uint64_t>();
  return all;
}

/// A thread and two streams: two kernels at once, a copy, idle for each reason, a kernel.
TraceBuilder busy_and_idle() {
  TraceBuilder trace{1, 2};
  const auto call = [&](const char* name) { return trace.region(name, RegionRole::wrapper, 0, Paradigm::cuda); };
  const auto launch = call("cuLaunchKernel"), wait = call("cuStreamSynchronize"), copy = call("cuMemcpyDtoHAsync");
  const auto kernel = trace.region("saxpy", RegionRole::kernel, 0, Paradigm::cuda);
  const auto host = [&](RegionRef region, std::uint64_t from, std::uint64_t to) {
    trace.enter(0, start + from * ms, region);
    trace.leave(0, start + to * ms, region);
  };
  const auto run = [&](LocationRef stream, std::uint64_t from, std::uint64_t to) {
    trace.enter(stream, start + from * ms, kernel);
    trace.leave(stream, start + to * ms, kernel);
  };
  trace.editable().metrics.push_back({"Device memory in use", "", "B", 1, 1, ValueType::uint64});
  trace.simple(0, start, EventType::program_begin, 0, 1);
  host(launch, 10, 11);
  host(copy, 20, 21);
  host(wait, 22, 31);
  host(launch, 34, 38);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  trace.simple(1, start + 11 * ms, EventType::metric_uint, 0, 4096);
  run(1, 12, 20);
  run(1, 36, 40);
  trace.simple(1, start + 41 * ms, EventType::metric_uint, 0, 1024);
  run(2, 15, 25);
  trace.simple(2, start + 25 * ms, EventType::rma_put, 0, 1000, 1);
  trace.simple(2, start + 30 * ms, EventType::rma_op_complete_blocking, 0, 0, 1);
  return trace;
}

}  // namespace

TEST_CASE("each moment of a device is in one place, and where it is idle the host says why") {
  TraceBuilder trace = busy_and_idle();
  const Json report = report_of(trace);
  const Json& device = report["devices"][0];
  const Json& time = device["time"];
  CHECK(time["before_ns"] == 12 * ms);
  CHECK(time["kernel_ns"] == 17 * ms);
  CHECK(time["kernel_and_copy_ns"] == 0);
  CHECK(time["copy_ns"] == 5 * ms);
  CHECK(time["host_waits_ns"] == 1 * ms);
  CHECK(time["nothing_submitted_ns"] == 3 * ms);
  CHECK(time["host_calls_ns"] == 2 * ms);
  CHECK(time["after_ns"] == 10 * ms);
  CHECK(sum(time) == 50 * ms);
  CHECK(device["total_ns"] == 50 * ms);
  CHECK(device["busy_ns"] == 22 * ms);
  CHECK(device["idle_ns"] == 6 * ms);
  CHECK(device["span_ns"] == 28 * ms);
  CHECK(device["most_kernels_at_once"] == 2);
  CHECK(device["mean_kernels_at_once"].get<double>() == Approx(22.0 / 17));
  CHECK(device["memory"]["peak_bytes"] == 4096);
  CHECK(device["memory"]["peak_at_ns"] == 11 * ms);
  CHECK(device["memory"]["end_bytes"] == 1024);
  CHECK(device["memory"]["points"].size() == 2);
  CHECK(device["kernels_by_name"][0]["count"] == 3);
}

TEST_CASE("a stream is busy or idle in each moment of its device, by what the device does") {
  TraceBuilder trace = busy_and_idle();
  const Json report = report_of(trace);
  const Json& streams = report["devices"][0]["by_stream"];
  REQUIRE(streams.size() == 2);
  for (const Json& stream : streams) CHECK(stream["busy_ns"].get<std::uint64_t>() + sum(stream["idle"]) == 50 * ms);
  const Json& second = streams[0];  // by the time that they are busy
  CHECK(second["name"] == "CUDA[0:1]");
  CHECK(second["busy_ns"] == 15 * ms);
  CHECK(second["kernels"] == 1);
  CHECK(second["copies"] == 1);
  CHECK(second["bytes"] == 1000);
  CHECK(second["idle"]["kernel_ns"] == 7 * ms);
  CHECK(second["idle"]["before_ns"] == 12 * ms);
  const Json& first = streams[1];
  CHECK(first["busy_ns"] == 12 * ms);
  CHECK(first["idle"]["kernel_ns"] == 5 * ms);
  CHECK(first["idle"]["copy_ns"] == 5 * ms);
}

TEST_CASE("copies of one matching id end together, and each is counted") {
  TraceBuilder trace{1, 1};
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.simple(1, start + 10 * ms, EventType::rma_get, 0, 1000, 7);
  trace.simple(1, start + 12 * ms, EventType::rma_get, 0, 500, 7);
  trace.simple(1, start + 20 * ms, EventType::rma_op_complete_blocking, 0, 0, 7);
  trace.simple(1, start + 30 * ms, EventType::rma_put, 0, 100, 7);
  trace.simple(1, start + 35 * ms, EventType::rma_op_complete_blocking, 0, 0, 7);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  const Json device = report_of(trace)["devices"][0];
  CHECK(device["to_device"]["count"] == 2);
  CHECK(device["to_device"]["bytes"] == 1500);
  CHECK(device["to_device"]["ns"] == 18 * ms);
  CHECK(device["from_device"]["count"] == 1);
  CHECK(device["busy_ns"] == 15 * ms);
  CHECK(device["by_stream"][0]["copies"] == 3);

  struct Slices final : TimelineVisitor {
    std::string text;
    void open(const Slice& slice) override { text += "(" + std::to_string(slice.depth) + " "; }
    void close(const Slice& slice) override {
      text += std::to_string(slice.bytes) + " of " + std::to_string((slice.end - slice.begin) / ms) + " ms)";
    }
  } slices;
  report::Timeline timeline{trace.definitions(), slices};
  report::Replay replay{trace.definitions()};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  CHECK(slices.text == "(0 (1 500 of 8 ms)1000 of 10 ms)(0 100 of 5 ms)");
}

TEST_CASE("one-sided operations of threads are neither copies nor what submits some") {
  TraceBuilder trace{1, 1};
  const auto phase = trace.region("exchange", RegionRole::code, 0, Paradigm::user);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start + 5 * ms, phase);
  trace.simple(0, start + 10 * ms, EventType::rma_put, 0, 64, 7);
  trace.simple(0, start + 20 * ms, EventType::rma_op_complete_blocking, 0, 0, 7);
  trace.leave(0, start + 25 * ms, phase);
  trace.simple(1, start + 30 * ms, EventType::rma_put, 0, 100, 7);
  trace.simple(1, start + 35 * ms, EventType::rma_op_complete_blocking, 0, 0, 7);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(report["devices"][0]["from_device"]["count"] == 1);
  CHECK(report["phases"][0]["device_operations_ns"] == 0);

  struct Copies final : TimelineVisitor {
    std::string text;
    void close(const Slice& slice) override {
      if (slice.bytes != 0) text += std::to_string(slice.location) + " copies " + std::to_string(slice.bytes) + "; ";
    }
    void arrow(const Arrow& arrow) override { text += "arrow from " + std::to_string(arrow.from); }
  } copies;
  report::Timeline timeline{trace.definitions(), copies};
  report::Replay replay{trace.definitions()};
  replay.add(timeline);
  trace.read(replay);
  replay.finish();
  CHECK(copies.text == "1 copies 100; ");
}

TEST_CASE("a device that sets its memory, or copies within it, is busy, and so is the stream") {
  TraceBuilder trace{1, 1};
  trace.editable().attributes.push_back({"ALLOCATION_SIZE", "", ValueType::uint64});
  const auto kernel = trace.region("saxpy", RegionRole::kernel, 0, Paradigm::cuda),
             set = trace.region("device memset", RegionRole::data_transfer, 0, Paradigm::cuda),
             copy = trace.region("device copy", RegionRole::data_transfer, 0, Paradigm::cuda);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(1, start + 10 * ms, kernel);
  trace.leave(1, start + 20 * ms, kernel);
  trace.enter(1, start + 20 * ms, set, {{5, 1000}});
  trace.leave(1, start + 25 * ms, set);
  trace.enter(1, start + 30 * ms, copy, {{5, 500}});
  trace.leave(1, start + 40 * ms, copy);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& device = report["devices"][0];
  CHECK(device["time"]["kernel_ns"] == 10 * ms);
  CHECK(device["time"]["copy_ns"] == 15 * ms);
  CHECK(device["time"]["nothing_submitted_ns"] == 5 * ms);
  CHECK(device["time"]["after_ns"] == 10 * ms);
  CHECK(device["busy_ns"] == 25 * ms);
  CHECK(device["kernels"] == 1);
  CHECK(device["to_device"]["count"] == 0);
  REQUIRE(device["by_stream"].size() == 1);
  const Json& stream = device["by_stream"][0];
  CHECK(stream["busy_ns"] == 25 * ms);
  CHECK(stream["kernels"] == 1);
  CHECK(stream["copies"] == 2);
  CHECK(stream["copy_ns"] == 15 * ms);
  CHECK(stream["bytes"] == 1500);
}

TEST_CASE("what the driver moved for unified memory is apart from the program's copies, with page faults and pools") {
  TraceBuilder trace{1, 2};
  trace.editable().attributes.push_back({"ALLOCATION_SIZE", "", ValueType::uint64});
  std::uint32_t metric = 0;
  std::uint64_t at = start + 1 * ms;
  const auto values = [&](const char* name, std::initializer_list<std::uint64_t> changes) {
    trace.editable().metrics.push_back({name, "", "B", 1, 1, ValueType::uint64});
    for (const std::uint64_t value : changes) trace.simple(1, at += 1 * us, EventType::metric_uint, metric, value);
    ++metric;
  };
  const auto to = trace.region("unified memory to device", RegionRole::data_transfer, 0, Paradigm::cuda),
             from = trace.region("unified memory from device", RegionRole::data_transfer, 0, Paradigm::cuda);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  values("Device memory in use", {4096});
  values("Device memory pools in use", {1000, 3000, 0});
  values("Device memory pools reserved", {4000, 8000, 8000});
  values("Device page faults", {3, 8});
  values("Host page faults", {1});
  const auto moves = [&](RegionRef what, std::uint64_t begin, std::uint64_t bytes) {
    trace.enter(2, start + begin * ms, what, {{5, bytes}});
    trace.leave(2, start + (begin + 2) * ms, what);
  };
  moves(to, 10, 65536);
  moves(to, 12, 4096);
  moves(from, 20, 1000);
  trace.simple(0, start + 50 * ms, EventType::program_end);
  const report::Report all = report::analyze(trace);
  const Json device = Json::parse(report::to_json(all))["devices"][0];
  const Json& unified = device["unified_memory"];
  CHECK(unified["to_device"]["count"] == 2);
  CHECK(unified["to_device"]["bytes"] == 65536 + 4096);
  CHECK(unified["to_device"]["ns"] == 4 * ms);
  CHECK(unified["from_device"]["count"] == 1);
  CHECK(unified["from_device"]["bytes"] == 1000);
  CHECK(unified["device_page_faults"] == 8);
  CHECK(unified["host_page_faults"] == 1);
  CHECK(device["to_device"]["count"] == 0);
  CHECK(device["from_device"]["count"] == 0);
  CHECK(device["time"]["copy_ns"] == 6 * ms);
  CHECK(device["memory"]["peak_bytes"] == 4096);
  CHECK(device["memory_pools"]["in_use"]["peak_bytes"] == 3000);
  CHECK(device["memory_pools"]["in_use"]["end_bytes"] == 0);
  CHECK(device["memory_pools"]["reserved"]["end_bytes"] == 8000);
  const std::string text = report::to_text(all, {});
  CHECK(has(text, "unified memory: 2 migrations to the device"));
  CHECK(has(text, "8 page faults of the device, 1 of the host"));
  CHECK(has(text, "memory pools: at most "));
}

TEST_CASE("calls of each library for devices are no work, and those that wait say why the device is idle") {
  struct Library {
    Paradigm paradigm;
    const char *copy, *wait;
    RegionRole role_of_copy;
  };
  for (const auto& [paradigm, copy, wait, role_of_copy] :
       {Library{Paradigm::cuda, "cudaMemcpy", "cudaDeviceSynchronize", RegionRole::wrapper},
        Library{Paradigm::hip, "hipMemcpy", "hipDeviceSynchronize", RegionRole::rma},
        Library{Paradigm::opencl, "clEnqueueReadBuffer", "clFinish", RegionRole::wrapper},
        Library{Paradigm::openacc, "acc_upload@a.c:6", "acc_wait@a.c:7", RegionRole::wrapper}}) {
    INFO(wait);
    TraceBuilder trace{1, 1};
    const auto copies = trace.region(copy, role_of_copy, 0, paradigm),
               waits = trace.region(wait, RegionRole::wrapper, 0, paradigm),
               kernel = trace.region("saxpy", RegionRole::kernel, 0, paradigm);
    const auto stay = [&](LocationRef location, std::uint64_t from, std::uint64_t to, RegionRef region) {
      trace.enter(location, start + from * ms, region);
      trace.leave(location, start + to * ms, region);
    };
    trace.simple(0, start, EventType::program_begin, 0, 1);
    stay(0, 10, 15, copies);
    stay(0, 20, 40, waits);
    trace.simple(0, start + 50 * ms, EventType::program_end);
    stay(1, 5, 8, kernel);
    stay(1, 18, 25, kernel);
    stay(1, 35, 40, kernel);
    const Json report = report_of(trace);
    CHECK(report["account"]["time"]["device_ns"] == (5 + 20) * ms);
    CHECK(report["account"]["time"]["serial_ns"] == (10 + 5 + 10) * ms);
    const Json& time = report["devices"][0]["time"];
    CHECK(time["host_calls_ns"] == 5 * ms);
    CHECK(time["host_waits_ns"] == 10 * ms);
    CHECK(time["nothing_submitted_ns"] == (2 + 3) * ms);
  }
}

TEST_CASE("of many changes of a device's memory the peaks are kept") {
  TraceBuilder trace = busy_and_idle();
  for (std::uint64_t i = 0; i < 10'000; ++i)
    trace.simple(1, start + 42 * ms + i * 100, EventType::metric_uint, 0, i == 7777 ? 1'000'000 : i % 100);
  const Json report = report_of(trace);
  const Json& memory = report["devices"][0]["memory"];
  CHECK(memory["peak_bytes"] == 1'000'000);
  CHECK(memory["points"].size() < 1000);
  std::uint64_t most = 0;
  for (const Json& point : memory["points"]) most = std::max(most, point[1].get<std::uint64_t>());
  CHECK(most == 1'000'000);
}

TEST_CASE("an attribute that the archive does not define is on no event") {
  const EventAttribute attributes[] = {{undefined_ref, 7}, {2, 5}};
  CHECK(report::attribute_value(attributes, undefined_ref) == 0);
  CHECK(report::attribute_value(attributes, 2) == 5);
}
