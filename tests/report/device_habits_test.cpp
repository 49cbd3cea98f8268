// SPDX-License-Identifier: BSD-3-Clause
// Work of devices that costs more than it must: each pattern with what could be won, and what only looks like it.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1000 * ms;

/// A thread with a device of 132 multiprocessors.
class Offloading {
 public:
  explicit Offloading(unsigned streams = 1) : trace{1, streams} {
    Definitions& d = trace.editable();
    d.attributes.push_back({"GRID", "", ValueType::string});
    d.attributes.push_back({"ALLOCATION_SIZE", "", ValueType::uint64});
    d.attributes.push_back({"SOURCE_ADDRESS", "", ValueType::uint64});
    d.attributes.push_back({"DESTINATION_ADDRESS", "", ValueType::uint64});
    d.nodes[2].properties.push_back({"TRACER::compute_units", "132"});
    target = trace.region("target", RegionRole::code, 20);
    submit = trace.region("target submit", RegionRole::wrapper, 20);
    update = trace.region("target update", RegionRole::code, 30);
    to = trace.region("target data to device", RegionRole::data_transfer, 30);
    from = trace.region("target data from device", RegionRole::data_transfer, 40);
    kernel = trace.region("target kernel", RegionRole::kernel, 20);
    trace.simple(0, start, EventType::program_begin, 0, 1);
  }
  /// Of `blocks` blocks; its construct takes 10 us more at both ends.
  void launch(std::uint64_t ns, const std::string& blocks = "1000x1x1", bool fetches = false) {
    Definitions& d = trace.editable();
    d.strings.push_back(blocks);
    const std::uint64_t id = ++operations, text = d.strings.size() - 1;
    trace.enter(0, now, target);
    trace.enter(0, now + 1 * us, submit, {{4, id}});
    trace.leave(0, now + 2 * us, submit);
    trace.enter(1, now + 10 * us, kernel, {{4, id}, {5, text}});
    trace.leave(1, now + 10 * us + ns, kernel);
    now += 20 * us + ns;
    if (fetches) copy(from, 1 << 20, 1000 * us, 0, 7);
    trace.leave(0, now, target);
  }
  void copy(RegionRef what, std::uint64_t bytes, std::uint64_t ns, std::uint64_t host_address, std::uint64_t address) {
    const bool is_to = what == to;
    const std::uint64_t id = ++operations;
    trace.enter(0, now, what,
                {{4, id}, {6, bytes}, {7, is_to ? host_address : address}, {8, is_to ? address : host_address}});
    now += ns;
    trace.leave(0, now, what);
  }
  void works(std::uint64_t ns) { now += ns; }
  Json movement() {
    trace.simple(0, now + 1 * ms, EventType::program_end);
    return report_of(trace)["data_movement"];
  }

  TraceBuilder trace;
  RegionRef target, submit, update, to, from, kernel;
  std::uint64_t now = start + 1 * ms, operations = 0;
};

}  // namespace

TEST_CASE("kernels of fewer blocks than multiprocessors could be shorter by the idle share") {
  Offloading program;
  program.launch(132 * ms, "2x2x1");
  program.launch(10 * ms, "64x3x1");  // enough
  program.launch(10 * ms, "");        // not known
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "few-teams");
  CHECK(rows[0]["count"] == 1);
  CHECK(rows[0]["ns"] == 128 * ms);
  CHECK(rows[0]["name"] == "!$omp target @example.c:20");
}

namespace {

/// The rows where two kernels of 132 ms run on two streams, the second `later`.
Json two_kernels(const std::string& first, const std::string& second, std::uint64_t later = 0, bool apart = false) {
  Offloading program{2};
  Definitions& d = program.trace.editable();
  d.strings.push_back(first);
  d.strings.push_back(second);
  if (apart) {
    d.locations[2].group = static_cast<std::uint32_t>(d.groups_of_locations.size());
    d.groups_of_locations.push_back({"Device 1", LocationGroupKind::accelerator, 2, 0, {}});
  }
  const std::uint64_t texts = d.strings.size();
  for (const LocationRef stream : {1u, 2u}) {
    const std::uint64_t from = program.now + (stream == 2 ? later : 0);
    program.trace.enter(stream, from, program.kernel, {{4, 1000 + stream}, {5, texts - 3 + stream}});
    program.trace.leave(stream, from + 132 * ms, program.kernel);
  }
  program.now += 132 * ms + later;
  return program.movement();
}

}  // namespace

TEST_CASE("kernels that run at one time fill the device together") {
  CHECK(two_kernels("66x1x1", "66x1x1").empty());
  CHECK(two_kernels("33x1x1", "1000x1x1").empty());
  const auto sum = [](const Json& rows) {
    std::uint64_t ns = 0;
    for (const Json& row : rows) {
      CHECK(row["pattern"] == "few-teams");
      ns += row["ns"].get<std::uint64_t>();
    }
    return ns;
  };
  CHECK(sum(two_kernels("33x1x1", "33x1x1")) == 66 * ms);
  CHECK(sum(two_kernels("33x1x1", "", 66 * ms)) == 99 * ms / 2);  // the other may fill it
  CHECK(sum(two_kernels("66x1x1", "66x1x1", 0, true)) == 2 * 66 * ms);
}

TEST_CASE("host and device that wait in turn could work at once, unless the host fetches what the device made") {
  const bool fetches = GENERATE(false, true);
  Offloading program;
  for (int i = 0; i < 6; ++i) {
    program.launch(3 * ms, "1000x1x1", fetches);
    program.works(i == 5 ? 50 * us : 2 * ms);  // the last time too little
  }
  program.launch(3 * ms);
  const Json rows = program.movement();
  if (fetches) {
    CHECK(rows.empty());
    return;
  }
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "device-turns");
  CHECK(rows[0]["count"] == 5);
  CHECK(rows[0]["ns"] == 10 * ms);
}

TEST_CASE("the host's work is no turn of its own while the device has a kernel of others") {
  Offloading program{2};
  for (int i = 0; i < 6; ++i) {
    program.launch(3 * ms);
    program.trace.enter(2, program.now - 1 * ms, program.kernel, {{4, 1000}});
    program.trace.leave(2, program.now + 1950 * us, program.kernel);
    program.works(2 * ms);
  }
  program.launch(3 * ms);
  CHECK(program.movement().empty());
}

TEST_CASE("kernels shorter than their launch are found where there are many") {
  const unsigned many = GENERATE(99u, 100u);
  Offloading program;
  for (unsigned i = 0; i < many; ++i) program.launch(5 * us);
  const Json rows = program.movement();
  REQUIRE(rows.size() == (many == 100 ? 1 : 0));
  if (many != 100) return;
  CHECK(rows[0]["pattern"] == "short-kernels");
  CHECK(rows[0]["count"] == 100);
  CHECK(rows[0]["ns"] == 100 * 20 * us);
}

TEST_CASE("small copies between two kernels could be one; large ones and few are what they are") {
  Offloading program;
  const auto copies = [&](unsigned count, std::uint64_t bytes) {
    for (unsigned i = 0; i < count; ++i)
      program.copy(program.to, bytes, 10 * us, 0x1000 + i * bytes, 0x9000 + i * bytes);
    program.launch(3 * ms);
  };
  copies(7, 1024);
  copies(20, 65537);
  copies(10, 1024);
  copies(12, 1024);
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "small-transfers");
  CHECK(rows[0]["count"] == 22);
  CHECK(rows[0]["bytes"] == 22 * 1024);
  CHECK(rows[0]["ns"] == (9 + 11) * 10 * us);
}

TEST_CASE("of waiting for a device so much could be won as the host works while the device has nothing") {
  Offloading program;
  program.copy(program.to, 1 << 20, 300 * ms, 0x1000, 0x100000);  // has the host's memory meanwhile
  for (int i = 0; i < 5; ++i) {
    program.launch(100 * ms, "1000x1x1", true);
    program.works(10 * ms);
  }
  program.launch(100 * ms);
  program.trace.simple(0, program.now + 200 * ms, EventType::program_end);  // work behind the last operation
  const Json findings = report_of(program.trace)["verdict"]["findings"];
  REQUIRE(findings.size() == 1);
  CHECK(findings[0]["id"] == "device-wait");
  CHECK(findings[0]["lost_ns"] == 300 * ms + 6 * 100'020 * us + 5 * ms);
  CHECK(findings[0]["win_ns"] == 5 * 10 * ms);
}

TEST_CASE("kernels that the host has no work beside are the program's work") {
  Offloading program;
  for (int i = 0; i < 5; ++i) program.launch(100 * ms, "1000x1x1", true);
  program.trace.simple(0, program.now + 200 * ms, EventType::program_end);
  CHECK(report_of(program.trace)["verdict"]["findings"].empty());
}

TEST_CASE("a copy could go on behind the kernel before it, unless it sends what was fetched meanwhile") {
  const bool fetches = GENERATE(false, true);
  Offloading program;
  for (int i = 0; i < 5; ++i) {
    program.copy(program.to, 1 << 20, 2 * ms, 0x1000, 0x100000);
    program.launch(1 * ms);
    if (fetches) program.copy(program.from, 1 << 10, 10 * us, 0x1000 + (1 << 19), 0x100000);
  }
  const Json rows = program.movement();
  if (fetches) {
    CHECK(rows.empty());
    return;
  }
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "serial-transfer");
  CHECK(rows[0]["count"] == 4);
  CHECK(rows[0]["bytes"] == 4 << 20);
  CHECK(rows[0]["ns"] == 4 * 1 * ms);  // no longer than the kernel
  CHECK(rows[0]["other"] == "!$omp target kernel @example.c:20");
}

TEST_CASE("where copies are of pageable memory it is said that these do not go on beside kernels") {
  const auto report_with = [](const char* memory) {
    TraceBuilder trace{1, 1};
    Definitions& d = trace.editable();
    d.attributes.push_back({"HOST_MEMORY", "", ValueType::string});
    d.strings.push_back(memory);
    const std::uint64_t text = d.strings.size() - 1;
    const auto call = [&](const char* name) { return trace.region(name, RegionRole::wrapper, 0, Paradigm::cuda); };
    const auto wait = call("cuStreamSynchronize"), launch = call("cuLaunchKernel");
    const auto kernel = trace.region("saxpy", RegionRole::kernel, 0, Paradigm::cuda);
    trace.simple(0, start, EventType::program_begin, 0, 1);
    trace.enter(0, start + 100 * ms, wait);
    trace.add(1,
              {.time = start + 100 * ms,
               .type = EventType::rma_get,
               .attributes = 0,
               .sub = 0,
               .ref = 0,
               .a = 1 << 30,
               .b = 7},
              {{5, text}});
    trace.simple(1, start + 500 * ms, EventType::rma_op_complete_blocking, 0, 0, 7);
    trace.leave(0, start + 500 * ms, wait);
    trace.enter(0, start + 900 * ms, launch);
    trace.leave(0, start + 901 * ms, launch);
    trace.enter(1, start + 901 * ms, kernel);
    trace.leave(1, start + 910 * ms, kernel);
    trace.simple(0, start + 1000 * ms, EventType::program_end);
    return report_of(trace);
  };
  const Json pageable = report_with("pageable"), pinned = report_with("pinned");
  CHECK(note_in(pageable, "pageable-copies")
            .starts_with("Most copies between host and device, 1 GiB in 400 ms, are of the host's pageable memory, at "
                         "2.5 GiB/s"));
  CHECK(note_in(pinned, "pageable-copies").empty());
  const auto advice = [](const Json& report) { return finding(report, "device-wait")["advice"].get<std::string>(); };
  CHECK(advice(pageable).find("pin the host's memory for that") != std::string::npos);
  CHECK(advice(pinned).find("pin the host's memory for that") == std::string::npos);
}
