// SPDX-License-Identifier: BSD-3-Clause
// Data movement that could be avoided: what each operation costs, and what is the same memory again.
#include "catch.hpp"

#include <cstdint>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1000 * ms;

/// A thread that moves data to a device; each operation takes 10 us.
class Moving {
 public:
  explicit Moving(bool by_host = false) : trace{1, 1} {
    Definitions& d = trace.editable();
    for (const char* name : {"ALLOCATION_SIZE", "SOURCE_ADDRESS", "DESTINATION_ADDRESS"})
      d.attributes.push_back({name, "", ValueType::uint64});
    if (by_host) d.locations[1].properties.push_back({"TRACER::PROVIDER", "host"});
    target = trace.region("target", RegionRole::code, 20);
    submit = trace.region("target submit", RegionRole::wrapper, 20);
    kernel = trace.region("target kernel", RegionRole::kernel, 20);
    update = trace.region("target update", RegionRole::code, 30);
    to = trace.region("target data to device", RegionRole::data_transfer, 30);
    from = trace.region("target data from device", RegionRole::data_transfer, 35);
    enter_data = trace.region("target enter data", RegionRole::code, 40);
    alloc = trace.region("target data alloc", RegionRole::allocate, 40);
    exit_data = trace.region("target exit data", RegionRole::code, 50);
    remove = trace.region("target data delete", RegionRole::deallocate, 50);
    trace.simple(0, start, EventType::program_begin, 0, 1);
  }
  void operation(RegionRef what, std::uint64_t bytes, std::uint64_t source, std::uint64_t destination,
                 std::uint64_t content = 0) {
    trace.enter(0, now, what, {{4, ++operations}, {5, bytes}, {6, source}, {7, destination}});
    now += 10 * us;
    if (content != 0) trace.simple(0, now, EventType::parameter_uint, 0, content);
    trace.leave(0, now, what);
  }
  /// A construct that is `before` longer ahead of what it does, and `behind` after it.
  template <class What>
  void in(RegionRef construct, std::uint64_t before, std::uint64_t behind, const What& what) {
    trace.enter(0, now, construct);
    now += before;
    what();
    now += behind;
    trace.leave(0, now, construct);
  }
  /// Its construct is 2 us longer than its launch, at both ends.
  void launch(std::uint64_t ns) {
    in(target, 2 * us, 2 * us, [&] {
      const std::uint64_t id = ++operations;
      trace.enter(0, now, submit, {{4, id}});
      trace.enter(1, now, kernel, {{4, id}});
      now += ns;
      trace.leave(1, now, kernel);
      trace.leave(0, now, submit);
    });
  }
  void pause(std::uint64_t ns) { now += ns; }
  Json movement() {
    trace.simple(0, now + 1 * ms, EventType::program_end);
    return report_of(trace)["data_movement"];
  }

  TraceBuilder trace;
  RegionRef target, submit, kernel, update, to, from, enter_data, alloc, exit_data, remove;
  std::uint64_t now = start + 1 * ms, operations = 0;
};

}  // namespace

TEST_CASE("a construct that only moves data costs with its operations what surrounds them") {
  Moving program;
  program.launch(1 * ms);
  for (int i = 0; i < 3; ++i) {
    program.in(program.enter_data, 4 * us, 2 * us, [&] { program.operation(program.alloc, 4096, 0x1000, 0x9000); });
    program.in(program.exit_data, 5 * us, 1 * us, [&] { program.operation(program.remove, 4096, 0x9000, 0); });
  }
  program.launch(1 * ms);
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "unused-allocation");
  CHECK(rows[0]["count"] == 3);
  CHECK(rows[0]["ns"] == 3 * (4 + 10 + 2 + 5 + 10 + 1) * us);
}

TEST_CASE("where kernels of libraries are not recorded it is not sure that memory is of no use") {
  for (const char* const provider : {"cupti", "ompt", "host"}) {
    const bool has_all_kernels = std::string{provider} == "cupti";
    Moving program;
    program.trace.editable().locations[1].properties.push_back({"TRACER::PROVIDER", provider});
    for (int i = 0; i < 1000; ++i) {
      program.in(program.enter_data, 4 * us, 2 * us, [&] { program.operation(program.alloc, 4096, 0x1000, 0x9000); });
      program.in(program.exit_data, 5 * us, 1 * us, [&] { program.operation(program.remove, 4096, 0x9000, 0); });
    }
    program.launch(1 * ms);
    program.trace.simple(0, program.now + 1 * ms, EventType::program_end);
    const Json report = report_of(program.trace);
    const Json& unused = finding(report, "unused-allocation");
    CHECK(unused["sure"] == (has_all_kernels ? "medium" : "low"));
    const bool says_why = unused["text"].get<std::string>().find("did not launch") != std::string::npos;
    CHECK(says_why == !has_all_kernels);
  }
}

TEST_CASE("what passes between two operations is of the second, and of the last what is left") {
  Moving program;
  // Of two copies one is overwritten, and the construct's end is of the other.
  program.in(program.update, 1 * us, 7 * us, [&] {
    program.operation(program.to, 4096, 0x1000, 0x9000);
    program.pause(3 * us);
    program.operation(program.to, 256, 0x5000, 0xf000);
  });
  program.in(program.update, 1 * us, 7 * us, [&] { program.operation(program.to, 4096, 0x1000, 0x9000); });
  program.launch(1 * ms);
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "unused-transfer");
  CHECK(rows[0]["count"] == 1);
  CHECK(rows[0]["ns"] == 11 * us);
}

TEST_CASE("comparing contents is the tool's time, and no part of the construct that it is in") {
  Moving program;
  program.trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  for (int i = 0; i < 5; ++i) {
    program.in(program.update, 1 * us, 2 * us, [&] {
      program.operation(program.to, 1 << 20, 0x1000, 0x9000, 77);
      program.trace.simple(0, program.now, EventType::buffer_flush, 0, program.now + 9 * ms);
      program.pause(9 * ms);
    });
    program.launch(1 * ms);
  }
  program.trace.simple(0, program.now + 1 * ms, EventType::program_end);
  const Json report = report_of(program.trace);
  const Json& rows = report["data_movement"];
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "duplicate-transfer");
  CHECK(rows[0]["count"] == 4);
  CHECK(rows[0]["ns"] == 4 * (1 + 10 + 2) * us);
  CHECK(report["account"]["time"]["tool_ns"] == 5 * 9 * ms);
  CHECK(report["account"]["time"]["device_ns"] == 5 * ((1 + 10 + 2 + 4) * us + 1 * ms));
}

TEST_CASE("a fetch begins when the device copies: what the host waits for the kernel before is no part of it") {
  const bool has_record = GENERATE(true, false);
  Moving program;
  TraceBuilder& trace = program.trace;
  trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  const std::uint64_t began = program.now, launch = ++program.operations, fetch = ++program.operations;
  trace.enter(0, began, program.submit, {{4, launch}});
  trace.leave(0, began + 5 * us, program.submit);
  trace.enter(0, began + 5 * us, program.from, {{4, fetch}, {5, 4096}, {6, 0x9000}, {7, 0x1000}});
  trace.simple(0, began + 1 * ms + 20 * us, EventType::parameter_uint, 0, 77);
  trace.leave(0, began + 1 * ms + 20 * us, program.from);
  trace.enter(1, began, program.kernel, {{4, launch}});
  trace.leave(1, began + 1 * ms, program.kernel);
  if (has_record) {
    trace.add(1,
              {.time = began + 1 * ms,
               .type = EventType::rma_put,
               .attributes = 0,
               .sub = 0,
               .ref = 0,
               .a = 4096,
               .b = fetch},
              {{4, fetch}});
    trace.simple(1, began + 1 * ms + 15 * us, EventType::rma_op_complete_blocking, 0, 0, fetch);
  }
  trace.simple(0, began + 3 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& rows = report["data_movement"];
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "round-trip");
  CHECK(rows[0]["count"] == 1);
  CHECK(rows[0]["ns"] == (has_record ? 20 * us : 1 * ms + 15 * us));
  CHECK(report["data_operations"]["ns"] == 10 * us + (has_record ? 20 * us : 1 * ms + 15 * us));
}

TEST_CASE("of a copy that is overwritten by the same again, one is needless") {
  const std::uint64_t second = GENERATE(77, 78);  // the content
  Moving program;
  program.trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  program.operation(program.to, 4096, 0x1000, 0x9000, second);
  program.launch(1 * ms);
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == (second == 77 ? "duplicate-transfer" : "unused-transfer"));
  CHECK(rows[0]["count"] == 1);
  CHECK(rows[0]["bytes"] == 4096);
}

TEST_CASE("of a fetch whose content nobody knows nothing is said, nor of what is sent next") {
  const std::uint64_t fetched = GENERATE(0, 77, 78);
  Moving program;
  program.trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  program.launch(1 * ms);
  program.operation(program.from, 4096, 0x9000, 0x1000, fetched);
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  program.launch(1 * ms);
  std::set<std::string> patterns;
  for (const Json& row : program.movement()) patterns.insert(row["pattern"]);
  CHECK(patterns ==
        (fetched == 77 ? std::set<std::string>{"duplicate-transfer", "round-trip"} : std::set<std::string>{}));
}

TEST_CASE("what happened while recording was paused may have used and changed everything") {
  Moving program;
  program.trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  program.operation(program.alloc, 4096, 0, 0x9000);
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  const bool is_paused = GENERATE(true, false);
  for (const std::uint64_t on : {0u, 1u})
    if (is_paused) program.trace.simple(0, program.now, EventType::measurement_on_off, 0, on);
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  program.operation(program.remove, 4096, 0x9000, 0);
  std::set<std::string> patterns;
  for (const Json& row : program.movement()) patterns.insert(row["pattern"]);
  CHECK(patterns == (is_paused ? std::set<std::string>{"unused-transfer"}
                               : std::set<std::string>{"duplicate-transfer", "unused-allocation", "unused-transfer"}));
}

TEST_CASE("what the host fetches to another place was of use, though no kernel had it") {
  const std::uint64_t to = GENERATE(0, 0x1400, 0x5000);
  Moving program;
  program.operation(program.to, 4096, 0x1000, 0x9000);
  if (to != 0) program.operation(program.from, 1024, 0x9400, to);
  program.operation(program.to, 4096, 0x1000, 0x9000);
  program.launch(1 * ms);
  CHECK(program.movement().size() == (to == 0x5000 ? 0 : 1));
}

TEST_CASE("the same sent to two memories at once is no duplicate, and what came from one goes not back to the other") {
  const bool at_once = GENERATE(true, false), fetches = GENERATE(false, true);
  Moving program;
  program.trace.editable().parameters.push_back({"content hash", EventType::parameter_uint});
  program.operation(program.alloc, 4096, 0, 0x9000);
  program.operation(program.to, 4096, 0x1000, 0x9000, 77);
  program.launch(1 * ms);
  if (fetches) program.operation(program.from, 4096, 0x9000, 0x1000, 78);
  if (!at_once) program.operation(program.remove, 4096, 0x9000, 0);
  program.operation(program.alloc, 8192, 0, 0x20000);
  program.operation(program.to, 4096, 0x1000, 0x20000, fetches ? 78 : 77);
  program.launch(1 * ms);
  const Json rows = program.movement();
  REQUIRE(rows.size() == (at_once ? 0 : 1));
  if (!at_once) CHECK(rows[0]["pattern"] == (fetches ? "round-trip" : "duplicate-transfer"));
}

TEST_CASE("memory that one call allocates and frees again and again could be kept; what is in use at once could not") {
  const bool at_once = GENERATE(false, true);
  Moving program;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const std::uint64_t address = 0x9000 + (at_once ? i * 4096 : 0);
    program.operation(program.alloc, 4096, 0, address);
    program.launch(1 * ms);
    if (!at_once) program.operation(program.remove, 4096, address, 0);
  }
  for (std::uint64_t i = 0; at_once && i < 3; ++i) program.operation(program.remove, 4096, 0x9000 + i * 4096, 0);
  const Json rows = program.movement();
  if (at_once) {
    CHECK(rows.empty());
    return;
  }
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "repeated-allocation");
  CHECK(rows[0]["count"] == 2);
  CHECK(rows[0]["bytes"] == 8192);
  CHECK(rows[0]["ns"] == 2 * 20 * us);
}

TEST_CASE("where nobody knows what was called nothing says that it is the same memory") {
  Moving program;
  Definitions& d = program.trace.editable();
  d.regions[program.alloc].name = d.regions[program.alloc].canonical = "!$omp target data alloc";
  for (int i = 0; i < 3; ++i) {
    program.operation(program.alloc, 4096, 0, 0x9000);
    program.launch(1 * ms);
    program.operation(program.remove, 4096, 0x9000, 0);
  }
  CHECK(program.movement().empty());
}

TEST_CASE("small copies cost what starts their constructs, where nothing else fits in between") {
  const bool is_close = GENERATE(true, false);
  Moving program;
  for (std::uint64_t i = 0; i < 10; ++i) {
    program.in(program.update, 1 * us, 1 * us,
               [&] { program.operation(program.to, 64, 0x1000 + i * 64, 0x9000 + i * 64); });
    program.pause(is_close ? 500 : 5 * us);
  }
  program.launch(1 * ms);
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "small-transfers");
  CHECK(rows[0]["count"] == 10);
  // One of ten is needed: its copy, and its share of what surrounds the copies.
  const std::uint64_t around = 10 * 2 * us + (is_close ? 9 * 500 : 0);
  CHECK(rows[0]["ns"] == 9 * 10 * us + around - around / 10);
}

TEST_CASE("the shortest of the host's intervals is a launch") {
  const bool by_host = GENERATE(true, false);
  Moving program{by_host};
  for (int i = 0; i < 100; ++i) {
    program.launch(i % 2 == 0 ? 1 * us : 3 * us);
    program.pause(10 * us);
  }
  const Json rows = program.movement();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]["pattern"] == "short-kernels");
  CHECK(rows[0]["ns"] == 100 * 4 * us + (by_host ? 100 * 1 * us : 0));
}

TEST_CASE("loading the device's code is no waiting for its results") {
  TraceBuilder trace{1, 1};
  const auto load = trace.region("cuModuleLoadDataEx", RegionRole::wrapper, 0, Paradigm::cuda);
  const auto wait = trace.region("cuStreamSynchronize", RegionRole::wrapper, 0, Paradigm::cuda);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start + 10 * ms, load);
  trace.leave(0, start + 510 * ms, load);
  trace.enter(0, start + 600 * ms, wait);
  trace.leave(0, start + 800 * ms, wait);
  trace.simple(0, start + 1000 * ms, EventType::program_end);
  const Json findings = report_of(trace)["verdict"]["findings"];
  REQUIRE(findings.size() == 2);
  CHECK(findings[0]["id"] == "code-loading");
  CHECK(findings[0]["lost_ns"] == 500 * ms);
  CHECK(findings[1]["id"] == "device-wait");
  CHECK(findings[1]["lost_ns"] == 200 * ms);
}

TEST_CASE("a target region that the host runs itself is the program's own work") {
  const bool on_host = GENERATE(true, false);
  TraceBuilder trace{1};
  trace.editable().attributes.push_back({"DEVICE", "", ValueType::int64});
  const auto target = trace.region("target", RegionRole::code, 20);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  trace.enter(0, start + 100 * ms, target, {{5, on_host ? ~std::uint64_t{0} : 0}});
  trace.leave(0, start + 600 * ms, target);
  trace.simple(0, start + 1000 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(report["account"]["time"]["device_ns"] == (on_host ? 0 : 500 * ms));
  CHECK(report["verdict"]["findings"].size() == (on_host ? 0 : 1));
}
