// SPDX-License-Identifier: BSD-3-Clause
// Jobs from one time to another: the longest path, and receives that lie across the cut.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/report/mpi_received.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/replay/timeline.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::test::collectives;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;

MpiJob ranks(unsigned number, std::uint64_t length) {
  MpiJob job{number};
  for (unsigned rank = 0; rank < number; ++rank) job.program(rank, start, start + length);
  return job;
}

Json part_from(TraceBuilder& trace, std::uint64_t from, std::uint64_t to) {
  report::Part part;
  part.from = from;
  part.to = to;
  const auto cut = report::part_of(trace.set_clock(), part);
  return report_of(*cut);
}

/// Of the part, in ms since the start.
Received received_from(TraceBuilder& trace, std::uint64_t from) {
  report::Part part;
  part.from = from;
  const auto cut = report::part_of(trace.set_clock(), part);
  return received(*cut, start);
}

}  // namespace

TEST_CASE("a part does not claim to have all communication") {
  MpiJob job = ranks(2, 60 * ms);
  TraceBuilder& trace = job.finish();
  trace.editable().properties.push_back({"OTF2::MPI_COMMUNICATION_COMPLETE", "true"});
  report::Part part;
  part.ranks = report::Numbers{"0"};
  const auto cut = report::part_of(trace.set_clock(), part);
  CHECK(cut->definitions().properties[0].value == "false");
}

TEST_CASE("of two ranks that work in turns the longest path of each part is as long as the part") {
  MpiJob job = ranks(2, 60 * ms);
  SECTION("and meet at barriers") {
    for (unsigned i = 0; i < 6; ++i) {
      const std::uint64_t begin = start + i * 10 * ms, end = begin + 10 * ms;
      job.collective(i % 2, end - 1 * us, end, "MPI_Barrier", 10, barrier);
      job.collective(1 - i % 2, begin, end, "MPI_Barrier", 10, barrier);
    }
  }
  SECTION("and hand over by messages") {
    for (unsigned i = 0; i < 6; ++i) {
      const std::uint64_t begin = start + i * 10 * ms, end = begin + 10 * ms;
      job.send(i % 2, 1 - i % 2, end - 1 * us, end - 1 * us, 10, 8);
      job.receive(1 - i % 2, i % 2, begin, end, 11, 8);
    }
  }
  TraceBuilder& trace = job.finish();
  for (const auto& [from, to] : {std::pair{0, 60}, {3, 57}, {13, 27}, {10, 20}, {15, 18}, {29, 60}}) {
    INFO(from << " to " << to << " ms");
    const Json report = part_from(trace, std::uint64_t(from) * ms, std::uint64_t(to) * ms);
    check_near(report["critical_path_ns"], (to - from) * 1e6);
    CHECK(report["critical_path_ns"].get<std::uint64_t>() <= std::uint64_t(to - from) * ms);
  }
}

TEST_CASE("in a part of a loop with a lock that is handed over the longest path is what was done in turn") {
  TraceBuilder trace{3};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  critical = trace.region("critical", RegionRole::critical, 11);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 3; ++thread) trace.team_begin(thread, start, parallel);
  for (LocationRef thread = 0; thread < 3; ++thread) {
    const std::uint64_t from = start + thread * 10 * ms, to = from + 10 * ms;
    trace.enter(thread, start, critical);
    trace.simple(thread, from, EventType::acquire_lock, 0, 1, 0);
    trace.simple(thread, to, EventType::release_lock, 0, 1, 0);
    trace.leave(thread, to, critical);
    trace.team_end(thread, start + 30 * ms, parallel);
  }
  trace.simple(0, start + 30 * ms, EventType::program_end);
  for (const auto& [from, to] : {std::pair{0, 30}, {5, 30}, {5, 15}, {12, 28}}) {
    INFO(from << " to " << to << " ms");
    CHECK(part_from(trace, std::uint64_t(from) * ms, std::uint64_t(to) * ms)["critical_path_ns"] ==
          std::uint64_t(to - from) * ms);
  }
}

TEST_CASE("receives posted before a part go on in the order in which they were posted") {
  MpiJob job = ranks(2, 60 * ms);
  for (const std::uint64_t request : {1u, 2u, 3u}) job.irecv(1, start + request * ms, 20, request);
  SECTION("of messages that are sent in it") {
    for (const std::uint64_t bytes : {4u, 8u, 16u})
      job.send(0, 1, start + 12 * ms + bytes * us, start + 12 * ms + bytes * us, 10, bytes);
    wait_for(job, start + 20 * ms, 16, 3);
    wait_for(job, start + 30 * ms, 8, 2);
    wait_for(job, start + 40 * ms, 4, 1);
    const Received in_order{{4, 40}, {8, 30}, {16, 20}};
    CHECK((received_from(job.finish(), 10 * ms) == in_order));
  }
  SECTION("of which the first was sent before it") {
    for (const std::uint64_t bytes : {4u, 8u, 16u}) {
      const std::uint64_t at = start + (bytes == 4 ? 5 : 12) * ms + bytes * us;
      job.send(0, 1, at, at, 10, bytes);
    }
    wait_for(job, start + 20 * ms, 16, 3);
    wait_for(job, start + 30 * ms, 8, 2);
    wait_for(job, start + 40 * ms, 4, 1);
    const Received in_order{{8, 30}, {16, 20}};
    CHECK((received_from(job.finish(), 10 * ms) == in_order));
  }
  SECTION("of which the last is over before it") {
    for (const std::uint64_t bytes : {4u, 8u, 16u}) {
      const std::uint64_t at = start + 5 * ms + bytes * us;
      job.send(0, 1, at, at, 10, bytes);
    }
    wait_for(job, start + 8 * ms, 16, 3);
    job.send(0, 1, start + 12 * ms, start + 12 * ms, 10, 32);
    wait_for(job, start + 20 * ms, 8, 2);
    job.receive(1, 0, start + 25 * ms, start + 26 * ms, 21, 32);
    wait_for(job, start + 30 * ms, 4, 1);
    const Received in_order{{32, 26}};
    CHECK((received_from(job.finish(), 10 * ms) == in_order));
  }
}

TEST_CASE("operations of all ranks are whole in a part of some of them") {
  MpiJob job = ranks(3, 60 * ms);
  for (unsigned rank = 0; rank < 3; ++rank)
    job.collective(rank, start + (10 + 10 * rank) * ms, start + 30 * ms, "MPI_Barrier", 10, barrier);
  job.send(1, 2, start + 40 * ms, start + 40 * ms, 11, 8);
  report::Part part;
  part.ranks = report::Numbers{"0-1"};
  const auto cut = report::part_of(job.finish().set_clock(), part);
  const Json report = report_of(*cut);
  CHECK(report["mpi"]["collectives"] == 1);
  CHECK(report["mpi"]["incomplete_collectives"] == 0);
  CHECK(report["mpi"]["waited"]["wait_at_barrier_ns"] == 10 * ms);
  CHECK(report["mpi"]["unmatched"] == 1);
  CHECK(report["mpi"]["never_received"] == 0);
}

TEST_CASE("a receive that blocks across the cut goes on, and one whose message was sent before is none of the part") {
  MpiJob job = ranks(2, 60 * ms);
  job.send(0, 1, start + 5 * ms, start + 5 * ms, 10, 4);
  job.receive(1, 0, start + 8 * ms, start + 15 * ms, 20, 4);
  job.send(0, 1, start + 20 * ms, start + 20 * ms, 11, 8);
  job.receive(1, 0, start + 15 * ms, start + 21 * ms, 21, 8);
  TraceBuilder& trace = job.finish();
  const Received later{{8, 21}};
  CHECK((received_from(trace, 10 * ms) == later));
  CHECK((received_from(trace, 17 * ms) == later));
  const Json report = part_from(trace, 17 * ms, 40 * ms);
  CHECK(report["mpi"]["matched"] == 1);
  CHECK(report["mpi"]["unmatched"] == 0);
  check_near(report["mpi"]["waited"]["late_sender_ns"], 3e6);  // of 5: from the part's begin on
}

namespace {

/// How many of each type the part has, by location.
struct Counted final : EventVisitor {
  void event(LocationRef location, const Event& event, std::span<const EventAttribute>) override {
    if (event.type == EventType::mpi_rma_collective_begin) CHECK(++open[location] == 1);
    if (event.type == EventType::mpi_rma_collective_end) CHECK(open[location]-- == 1);
    ++counts[{location, event.type}];
  }
  std::map<LocationRef, int> open;
  std::map<std::pair<LocationRef, EventType>, unsigned> counts;
};

Counted counted_from(TraceBuilder& trace, std::uint64_t from) {
  report::Part part;
  part.from = from;
  const auto cut = report::part_of(trace.set_clock(), part);
  Counted counted;
  cut->read(counted);
  return counted;
}

}  // namespace

TEST_CASE("where a part begins between two ranks' ends of a fence both have the fences behind it") {
  MpiJob job = ranks(2, 100 * ms);
  job.trace.editable().windows.push_back({"", 1, true});
  const RegionRef region = job.function("MPI_Win_fence", 10);
  for (unsigned i = 0; i < 3; ++i)
    for (const unsigned rank : {0u, 1u}) {
      const std::uint64_t begin = start + (10 + 20 * i) * ms, end = begin + (1 + 5 * rank) * ms;
      job.trace.enter(rank, begin, region);
      job.trace.simple(rank, begin, EventType::mpi_rma_collective_begin);
      job.trace.simple(rank, end, EventType::mpi_rma_collective_end, 0);
      job.trace.leave(rank, end, region);
    }
  TraceBuilder& trace = job.finish();
  for (const auto& [from, fences] : {std::pair{5u, 3u}, {13u, 2u}, {20u, 2u}, {33u, 1u}}) {
    INFO("from " << from << " ms");
    Counted counted = counted_from(trace, from * ms);
    for (const LocationRef rank : {0u, 1u}) {
      CHECK(counted.counts[{rank, EventType::mpi_rma_collective_begin}] == fences);
      CHECK(counted.counts[{rank, EventType::mpi_rma_collective_end}] == fences);
    }
  }
}

TEST_CASE("of one-sided operations and locks that began before it a part has no end") {
  MpiJob job = ranks(2, 100 * ms);
  job.trace.editable().windows.push_back({"", 1, true});
  const auto at = [](unsigned time) { return start + time * ms; };
  for (const unsigned begin : {10u, 50u}) {
    job.trace.simple(0, at(begin), EventType::mpi_rma_request_lock, 1, 0);
    job.trace.simple(0, at(begin + 2), EventType::mpi_rma_put, 1, 8, begin);
    job.trace.simple(0, at(begin + 10), EventType::mpi_rma_complete_here, 0, 0, begin);
    job.trace.simple(0, at(begin + 12), EventType::mpi_rma_acquire_lock, 1, 0);
    job.trace.simple(0, at(begin + 14), EventType::mpi_rma_complete_there, 0, 0, begin);
    job.trace.simple(0, at(begin + 16), EventType::mpi_rma_release_lock, 1);
  }
  TraceBuilder& trace = job.finish();
  for (const auto& [from, locks, ends] :
       {std::tuple{5u, 2u, 2u}, {11u, 1u, 2u}, {15u, 1u, 1u}, {25u, 1u, 1u}, {30u, 1u, 1u}, {55u, 0u, 0u}}) {
    INFO("from " << from << " ms");
    Counted counted = counted_from(trace, from * ms);
    CHECK(counted.counts[{0, EventType::mpi_rma_acquire_lock}] == locks);
    CHECK(counted.counts[{0, EventType::mpi_rma_release_lock}] == locks);
    CHECK(counted.counts[{0, EventType::mpi_rma_complete_here}] == ends);
    CHECK(counted.counts[{0, EventType::mpi_rma_complete_there}] == ends);
  }
}
