// SPDX-License-Identifier: BSD-3-Clause
// What waiting for a device costs the threads beside the one that waits, and the ranks of a job that all do.
#include "catch.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tests/report/mpi_traces.hpp"
#include "tests/report/reported.hpp"
#include "tests/report/trace_builder.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;

/// The finding of a job whose ranks allocate the same memory on their devices again and again, 10 ms each time.
Json of_allocations(unsigned ranks, unsigned threads) {
  MpiJob job{ranks, threads};
  TraceBuilder& trace = job.trace;
  for (const char* name : {"ALLOCATION_SIZE", "SOURCE_ADDRESS", "DESTINATION_ADDRESS"})
    trace.editable().attributes.push_back({name, "", ValueType::uint64});
  const auto alloc = trace.region("target data alloc", RegionRole::allocate, 40),
             remove = trace.region("target data delete", RegionRole::deallocate, 50),
             submit = trace.region("target submit", RegionRole::wrapper, 20);
  for (unsigned rank = 0; rank < ranks; ++rank) {
    job.program(rank, start, start + 106 * ms);
    std::uint64_t now = start, operations = 0;
    const auto operation = [&](RegionRef what, std::uint64_t ns, std::uint64_t from, std::uint64_t to) {
      trace.enter(job.master(rank), now, what, {{4, ++operations}, {5, 4096}, {6, from}, {7, to}});
      now += ns;
      trace.leave(job.master(rank), now, what);
    };
    for (int i = 0; i < 5; ++i) {
      operation(alloc, 10 * ms, 0x1000, 0x9000);
      operation(submit, 1 * ms, 0, 0);
      operation(remove, 10 * ms, 0x9000, 0);
    }
  }
  const Json report = report_of(job.finish());
  check_adds_up(report["account"]);
  return finding(report, "repeated-allocation");
}

}  // namespace

TEST_CASE("what threads idle while theirs waits for a device outside of teams is no serial work") {
  TraceBuilder trace{4};
  const auto parallel = trace.region("parallel", RegionRole::parallel),
             target = trace.region("target", RegionRole::code, 20);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.team_end(thread, start + 10 * ms, parallel);
  }
  trace.enter(0, start + 30 * ms, target);
  trace.leave(0, start + 130 * ms, target);
  trace.simple(0, start + 140 * ms, EventType::program_end);
  const Json report = report_of(trace);
  const Json& account = report["account"];
  check_adds_up(account);
  CHECK(account["time"]["device_ns"] == 100 * ms);
  CHECK(account["time"]["device_idle_ns"] == 3 * 100 * ms);
  CHECK(account["time"]["serial_idle_ns"] == 3 * 30 * ms);
  CHECK(account["serial_wall_ns"] == 30 * ms);
  std::uint64_t won = 0;
  for (const Json& one : report["verdict"]["findings"]) won += one["win_ns"].get<std::uint64_t>();
  CHECK(won <= 140 * ms);
  const Json& wait = finding(report, "device-wait");
  CHECK(wait["lost_ns"] == 4 * 100 * ms);
  CHECK(wait["win_ns"] == 100 * ms);
  CHECK(wait["text"].get<std::string>().find("Other threads idle 300 ms meanwhile: 400 ms in all.") !=
        std::string::npos);
}

TEST_CASE("what all ranks lose at once is won once, and with it what other threads idle meanwhile") {
  const Json one = of_allocations(1, 1);
  const auto lost = one["lost_ns"].get<double>();
  CHECK(one["win_ns"] == one["lost_ns"]);
  for (const auto& [ranks, threads] : {std::pair{4u, 1u}, {1u, 4u}, {4u, 4u}}) {
    const Json all = of_allocations(ranks, threads);
    check_near(all["lost_ns"], lost * ranks * threads);
    check_near(all["win_ns"], lost);
  }
}
