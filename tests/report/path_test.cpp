// SPDX-License-Identifier: BSD-3-Clause
// The longest path through jobs and locks of known structure.
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "tests/report/mpi_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/report/mpi/path_of_run.hpp"

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

/// How long the steps of the path are together, as pictures have them.
std::uint64_t trail_of(EventSource& trace) {
  report::Replay replay{trace.definitions()};
  report::PathOfRun path{trace.definitions(), replay, 0};
  path.add_to(replay);
  trace.read(replay);
  replay.finish();
  std::uint64_t length = 0;
  for (const report::Step* step = path.trail().get(); step != nullptr; step = step->before.get()) {
    length += step->to - step->from;
    if (step->before != nullptr) CHECK(step->before->to <= step->from);
  }
  return length;
}

void check_path(EventSource& trace, std::uint64_t path, std::uint64_t work) {
  const Json report = report_of(trace);
  CHECK(report["critical_path_ns"] == path);
  CHECK(report["work_ns"] == work);
  CHECK(trail_of(trace) == path);
}

}  // namespace

TEST_CASE("of two ranks that work in turns the longest path is on both") {
  MpiJob job = ranks(2, 60 * ms);
  for (unsigned i = 0; i < 6; ++i) {
    const std::uint64_t begin = start + i * 10 * ms, end = begin + 10 * ms;
    job.collective(i % 2, end - 1 * us, end, "MPI_Barrier", 10, barrier);
    job.collective(1 - i % 2, begin, end, "MPI_Barrier", 10, barrier);
  }
  check_path(job.finish(), 60 * ms, 60 * ms + 6 * us);
}

TEST_CASE("the longest path follows messages, and a late receiver's") {
  SECTION("a receive goes on from its send") {
    MpiJob job = ranks(2, 31 * ms);
    job.send(0, 1, start + 10 * ms, start + 10 * ms, 10, 8);
    job.receive(1, 0, start, start + 11 * ms, 20, 8);
    job.send(1, 0, start + 21 * ms, start + 21 * ms, 21, 8);
    job.receive(0, 1, start + 10 * ms, start + 21 * ms, 11, 8);
    job.receive(1, 0, start + 21 * ms, start + 31 * ms, 22, 8);
    job.send(0, 1, start + 31 * ms, start + 31 * ms, 12, 8);
    check_path(job.finish(), 31 * ms, 31 * ms);
  }
  SECTION("one that is waited for later does as well") {
    MpiJob job = ranks(2, 30 * ms);
    const RegionRef wait = job.function("MPI_Wait", 30);
    job.send(0, 1, start + 20 * ms, start + 20 * ms, 10, 8);
    job.irecv(1, start, 20, 5);
    job.trace.enter(1, start + 5 * ms, wait);
    job.irecv_is_over(1, start + 20 * ms, 0, 8, 5);
    job.trace.leave(1, start + 20 * ms, wait);
    check_path(job.finish(), 30 * ms, (30 + 15) * ms);
  }
  SECTION("a send that waits goes on from its receive") {
    MpiJob job = ranks(2, 40 * ms);
    job.send(0, 1, start + 10 * ms, start + 30 * ms, 10, 8);
    job.receive(1, 0, start + 30 * ms, start + 31 * ms, 20, 8);
    check_path(job.finish(), 40 * ms, (10 + 10 + 40) * ms);
  }
}

TEST_CASE("the longest path follows collective operations to those that others wait for") {
  constexpr std::uint64_t late = start + 20 * ms, end = start + 30 * ms;
  const auto job_of = [&](const char* name, unsigned operation, std::uint32_t root, unsigned last) {
    MpiJob job = ranks(3, 30 * ms);
    for (unsigned rank = 0; rank < 3; ++rank)
      job.collective(rank, rank == last ? late : start + 10 * ms, late, name, 10, operation, root);
    job.finish();
    return job;
  };
  constexpr std::uint32_t none = 0xffffffffu;
  SECTION("all wait for the last") {
    MpiJob job = job_of("MPI_Barrier", barrier, none, 2);
    check_path(job.trace, end - start, (3 * 30 - 2 * 10) * ms);
  }
  SECTION("for the root") {
    MpiJob job = job_of("MPI_Bcast", broadcast, 1, 1);
    check_path(job.trace, end - start, (3 * 30 - 2 * 10) * ms);
  }
  SECTION("the root for all") {
    MpiJob job = job_of("MPI_Reduce", reduce, 0, 2);
    check_path(job.trace, end - start, (3 * 30 - 10) * ms);
  }
  SECTION("for those before") {
    MpiJob job = job_of("MPI_Scan", scan, none, 1);
    check_path(job.trace, end - start, (3 * 30 - 10) * ms);
  }
  SECTION("at the end of MPI") {
    MpiJob job = job_of("MPI_Finalize", destroy_handle, none, 0);
    check_path(job.trace, end - start, (3 * 30 - 2 * 10) * ms);
  }
}

TEST_CASE("work that overlaps a request is on the path, waiting for it is not") {
  MpiJob job = ranks(2, 40 * ms);
  const RegionRef begin = job.function("MPI_Ibarrier", 10, RegionRole::barrier), wait = job.function("MPI_Wait", 11);
  for (unsigned rank = 0; rank < 2; ++rank) {
    const std::uint64_t at = start + (rank == 0 ? 5 : 30) * ms;
    job.trace.enter(rank, at, begin);
    job.trace.simple(rank, at, EventType::mpi_collective_request, 0, 9);
    job.trace.leave(rank, at, begin);
    job.trace.enter(rank, start + (rank == 0 ? 15 : 30) * ms, wait);
    job.event(rank, {start + 30 * ms, EventType::mpi_collective_complete, 0, barrier, 1, 0, 0},
              EventAttribute::payload(0xffffffffu, 9));
    job.trace.leave(rank, start + 30 * ms, wait);
  }
  check_path(job.finish(), 40 * ms, (40 + 25) * ms);
}

TEST_CASE("the steps of the longest path are together as long as the path is") {
  SECTION("of ranks with threads") {
    for (const auto& [number, threads, steps] : {std::array{3u, 2u, 20u}, {2u, 1u, 5u}, {40u, 4u, 10u}}) {
      MpiJob job = ring(number, threads, steps);
      CHECK(trail_of(job.trace) == report_of(job.trace)["critical_path_ns"]);
    }
  }
  SECTION("of random calls") {
    constexpr unsigned number = 4, rounds = 60;
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 chance{seed};
      const auto below = [&chance](std::uint64_t limit) { return chance() % limit; };
      MpiJob job{number};
      for (unsigned rank = 0; rank < number; ++rank) job.trace.simple(rank, start, EventType::program_begin, 0, 1);
      std::vector<std::uint64_t> now(number, start);
      for (unsigned round = 0; round < rounds; ++round) {
        std::vector<std::uint64_t> come;
        for (std::uint64_t& time : now) come.push_back(time += 1 + below(10 * us));
        const std::uint64_t last = *std::max_element(come.begin(), come.end());
        const unsigned kind = static_cast<unsigned>(below(4)), one = static_cast<unsigned>(below(number)),
                       other = (one + 1 + static_cast<unsigned>(below(number - 1))) % number;
        switch (kind) {
          case 0:
            for (unsigned rank = 0; rank < number; ++rank)
              job.collective(rank, come[rank], now[rank] = last + below(2 * us), "MPI_Barrier", 10, barrier);
            break;
          case 1:
            for (unsigned rank = 0; rank < number; ++rank)
              job.collective(rank, come[rank], now[rank] = std::max(come[rank], come[one]) + 1 + below(2 * us),
                             "MPI_Bcast", 11, broadcast, one);
            break;
          case 2:  // the receive may begin before the send or behind it, and the send may wait for it
            now[other] = std::max(come[one], come[other]) + 1 + below(us);
            now[one] = below(2) == 0 ? come[one] + below(us) : std::max(now[other], come[one]) + below(us);
            job.send(one, other, come[one], now[one], 12, 8);
            job.receive(other, one, come[other], now[other], 13, 8);
            break;
          default:
            job.collective(one, come[one], now[one] = come[one] + below(us), "MPI_Barrier", 14, barrier, 0, 0);
            break;
        }
      }
      const std::uint64_t end = *std::max_element(now.begin(), now.end()) + 5 * us;
      for (unsigned rank = 0; rank < number; ++rank) job.trace.simple(rank, end, EventType::program_end);
      INFO("seed " << seed);
      CHECK(trail_of(job.trace) == report_of(job.trace)["critical_path_ns"]);
    }
  }
}

TEST_CASE("what is done with a lock that is handed over is done in turn") {
  TraceBuilder trace{3};
  const RegionRef parallel = trace.region("parallel", RegionRole::parallel),
                  critical = trace.region("critical", RegionRole::critical, 11);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 3; ++thread) trace.team_begin(thread, start, parallel);
  const auto hold = [&](LocationRef thread, std::uint64_t ask, std::uint64_t from, std::uint64_t to) {
    trace.enter(thread, start + ask * ms, critical);
    trace.simple(thread, start + from * ms, EventType::acquire_lock, 0, 1, 0);
    trace.simple(thread, start + to * ms, EventType::release_lock, 0, 1, 0);
    trace.leave(thread, start + to * ms, critical);
  };
  std::uint64_t path = 0;
  SECTION("of three threads that want it at a time") {
    for (LocationRef thread = 0; thread < 3; ++thread) hold(thread, 0, thread * 10, (thread + 1) * 10);
    path = 30;
  }
  SECTION("and not where it is free") {
    hold(0, 0, 0, 10);
    hold(1, 10, 10, 20);
    hold(2, 20, 20, 30);
    path = 30;  // that of each thread, which works all the time
  }
  for (LocationRef thread = 0; thread < 3; ++thread) trace.team_end(thread, start + 30 * ms, parallel);
  trace.simple(0, start + 30 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(report["critical_path_ns"] == path * ms);
  CHECK(trail_of(trace) == path * ms);
  CHECK(report["parallel_regions"][0]["critical_path_ns"] == path * ms);
}
