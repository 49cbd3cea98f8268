// SPDX-License-Identifier: BSD-3-Clause
// Findings of jobs: what is of one process is compared with its threads, and with its part of the run.
#include "catch.hpp"

#include <cstdint>
#include <map>
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

/// A job whose processes have teams of their own.
class Teams {
 public:
  Teams(unsigned ranks, unsigned threads) : job{ranks, threads}, trace{job.trace} {
    parallel = trace.region("parallel", RegionRole::parallel);
  }
  void begin(unsigned rank, unsigned threads, std::uint64_t at) {
    trace.simple(job.master(rank), at, EventType::thread_fork, 0, threads);
    for (LocationRef thread = job.master(rank); thread < job.master(rank) + threads; ++thread) {
      trace.simple(thread, at, EventType::team_begin, team(rank, threads));
      trace.enter(thread, at, parallel);
    }
  }
  void end(unsigned rank, unsigned threads, std::uint64_t at) {
    for (LocationRef thread = job.master(rank); thread < job.master(rank) + threads; ++thread) {
      trace.leave(thread, at, parallel);
      trace.simple(thread, at, EventType::team_end, team(rank, threads));
    }
    trace.simple(job.master(rank), at, EventType::thread_join);
  }

  MpiJob job;
  TraceBuilder& trace;
  RegionRef parallel = undefined_ref;

 private:
  /// One for each rank and size.
  CommRef team(unsigned rank, unsigned threads) {
    Definitions& d = trace.editable();
    const auto [found, is_new] = teams_.emplace(std::pair{rank, threads}, static_cast<CommRef>(d.comms.size()));
    if (is_new) {
      Group group{"", GroupKind::comm_group, Paradigm::openmp, {}};
      for (unsigned thread = 0; thread < threads; ++thread) group.members.push_back(job.master(rank) + thread);
      d.groups.push_back(group);
      d.comms.push_back({"", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
    }
    return found->second;
  }
  std::map<std::pair<unsigned, unsigned>, CommRef> teams_;
};

}  // namespace

TEST_CASE("tasks between two waits are compared with the threads of the team that runs them") {
  const std::uint64_t each = GENERATE(2, 7);
  Teams teams{2, 4};
  TraceBuilder& trace = teams.trace;
  const auto task = trace.region("task", RegionRole::task, 12),
             create = trace.region("create task", RegionRole::task_create, 12),
             wait = trace.region("taskwait", RegionRole::task_wait, 14),
             barrier = trace.region("implicit barrier", RegionRole::implicit_barrier);
  for (unsigned rank = 0; rank < 2; ++rank) {
    const LocationRef master = teams.job.master(rank);
    std::uint64_t now = start;
    const std::uint64_t rounds = (each + 3) / 4;
    teams.job.program(rank, start, start + 10 * rounds * 5 * ms);
    teams.begin(rank, 4, now);
    for (LocationRef thread = 1; thread < 4; ++thread) trace.enter(master + thread, now, barrier);
    for (std::uint64_t i = 0; i < 10; ++i) {
      for (std::uint64_t k = 1; k <= each; ++k) trace.create_task(master, now, create, each * i + k, each * i + k);
      trace.enter(master, now, wait);
      for (std::uint64_t k = 0; k < each; ++k)
        trace.run_task(static_cast<LocationRef>(master + k % 4), now + k / 4 * 5 * ms, now + (k / 4 + 1) * 5 * ms, task,
                       master, each * i + k + 1);
      now += rounds * 5 * ms;
      trace.leave(master, now, wait);
    }
    trace.enter(master, now, barrier);
    for (LocationRef thread = 0; thread < 4; ++thread) trace.leave(master + thread, now, barrier);
    teams.end(rank, 4, now);
  }
  const Json found = finding(report_of(teams.job.finish()), "starvation");
  CHECK(has(found["text"], "to run at the same time, for 4 threads") == (each == 2));
}

TEST_CASE("a region of fewer threads is compared with the threads of its process") {
  Teams teams{2, 4};
  for (unsigned rank = 0; rank < 2; ++rank) {
    teams.job.program(rank, start, start + 100 * ms);
    teams.begin(rank, 4, start);
    teams.end(rank, 4, start + 50 * ms);
    teams.begin(rank, 2, start + 50 * ms);
    teams.end(rank, 2, start + 100 * ms);
  }
  const Json found = finding(report_of(teams.job.finish()), "unused-threads");
  CHECK(has(found["text"], "use fewer threads than their process has (4)"));
}

TEST_CASE("of programs that follow each other each second counts for the threads that were there") {
  Teams teams{10, 4};
  for (unsigned rank = 0; rank < 10; ++rank) {
    const std::uint64_t begin = start + rank * 100 * ms;
    teams.job.program(rank, begin, begin + 100 * ms);
    teams.begin(rank, 4, begin);
    teams.end(rank, 4, begin + 50 * ms);
  }
  const Json found = finding(report_of(teams.job.finish()), "serial");
  CHECK(has(found["text"], "500 ms of 1 s (50 %) are serial: one thread works outside of parallel regions and 3 idle"));
  CHECK_FALSE(has(found["text"], "a mean of the processes"));
  check_near(found["lost_ns"], 1500e6);
  check_near(found["win_ns"], 375e6);
}

TEST_CASE("the serial part of a process is told beside others of one thread") {
  TraceBuilder trace{8};
  Definitions& d = trace.editable();
  d.groups[1].members = {0, 1, 2, 3};
  for (LocationRef alone = 4; alone < 8; ++alone) {
    d.locations[alone].group = static_cast<std::uint32_t>(d.groups_of_locations.size());
    d.locations[alone].name = "Master thread";
    d.groups_of_locations.push_back({"Process", LocationGroupKind::process, 1, undefined_ref, {}});
    trace.simple(alone, start, EventType::program_begin, 0, 1);
    trace.simple(alone, start + 100 * ms, EventType::program_end);
  }
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  trace.simple(0, start, EventType::program_begin, 0, 1);
  for (LocationRef thread = 0; thread < 4; ++thread) {
    trace.team_begin(thread, start, parallel);
    trace.team_end(thread, start + 50 * ms, parallel);
  }
  trace.simple(0, start + 100 * ms, EventType::program_end);
  const Json report = report_of(trace);
  CHECK(has(report["verdict"]["summary"],
            "The largest loss is serial (behind the last region, parallel @example.c:10): at most "));
  const Json found = finding(report, "serial");
  CHECK(
      has(found["text"], "50 ms of 100 ms (50 %) are serial: one thread works outside of parallel regions and 3 idle"));
  check_near(found["win_ns"], 150e6 / 8);
}

TEST_CASE("ranks of several threads have as much unequal work as they take longer for it") {
  const bool is_left_out = GENERATE(false, true), has_no_trace = GENERATE(false, true);
  const bool is_missing = is_left_out || has_no_trace;
  Teams teams{is_missing ? 3u : 2u, 4};
  for (unsigned rank = 0; rank < 2; ++rank) {
    const std::uint64_t worked = start + (rank == 0 ? 100 : 50) * ms;
    teams.job.program(rank, start, start + 100 * ms);
    teams.begin(rank, 4, start);
    teams.end(rank, 4, worked);
  }
  const RegionRef receive = teams.job.function("MPI_Recv", 20);
  teams.trace.enter(teams.job.master(1), start + 50 * ms, receive);
  teams.trace.leave(teams.job.master(1), start + 100 * ms, receive);
  if (has_no_trace) teams.trace.editable().groups_of_locations[2].name += " (no trace)";
  if (is_left_out)
    for (LocationRef thread = teams.job.master(2); thread < teams.job.master(2) + 4; ++thread)
      teams.trace.editable().locations[thread].used = false;
  const Json report = report_of(teams.job.finish());
  if (is_missing) {  // they may wait for that one
    CHECK_FALSE(has_finding(report, "rank-imbalance"));
    return;
  }
  const Json found = finding(report, "rank-imbalance");
  CHECK(has(found["text"], "That is 50 ms of it. Other threads idle 150 ms meanwhile: 200 ms in all."));
  check_near(found["lost_ns"], 200e6);
  check_near(found["win_ns"], 25e6);
}
