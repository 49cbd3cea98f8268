// SPDX-License-Identifier: BSD-3-Clause
// What a job would take if its loops were balanced: ranks wait for each other as they then would.
#include "catch.hpp"

#include <string>

#include "tests/report/mpi_traces.hpp"
#include "tracer/what_if/what_if.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::test::collectives;

namespace {

constexpr std::uint32_t no_root = 0xffffffffu;

/// Ranks of two threads each, which share a loop and then communicate.
struct Job {
  explicit Job(unsigned ranks) : job{ranks, 2}, now(ranks, ms) {
    Definitions& d = job.trace.editable();
    parallel = job.trace.region("parallel", RegionRole::parallel);
    loop = job.trace.region("loop", RegionRole::loop);
    end_of_loop = job.trace.region("implicit barrier", RegionRole::implicit_barrier);
    teams = static_cast<CommRef>(d.comms.size());
    for (unsigned rank = 0; rank < ranks; ++rank) {
      d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {rank * 2, rank * 2 + 1}});
      d.comms.push_back({"", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
    }
  }
  /// Ends when the longer of the two has.
  void work(unsigned rank, std::uint64_t first, std::uint64_t second) {
    TraceBuilder& trace = job.trace;
    const LocationRef master = job.master(rank);
    const std::uint64_t begin = now[rank], end = begin + std::max(first, second);
    trace.simple(master, begin, EventType::thread_fork, 0, 2);
    for (const LocationRef thread : {master, master + 1}) {
      trace.simple(thread, begin, EventType::team_begin, teams + rank);
      trace.enter(thread, begin, parallel);
      trace.enter(thread, begin, loop);
      trace.leave(thread, begin + (thread == master ? first : second), loop);
      trace.enter(thread, begin + (thread == master ? first : second), end_of_loop);
      trace.leave(thread, end, end_of_loop);
      trace.leave(thread, end, parallel);
      trace.simple(thread, end, EventType::team_end, teams + rank);
    }
    trace.simple(master, end, EventType::thread_join);
    now[rank] = end;
  }
  /// All come when they can, and go when the last has, `ns` later.
  void all(const std::string& name, unsigned operation, std::uint64_t ns) {
    const std::uint64_t end = *std::max_element(now.begin(), now.end()) + ns;
    for (unsigned rank = 0; rank < now.size(); ++rank) {
      job.collective(rank, now[rank], end, name, 20, operation);
      now[rank] = end;
    }
  }
  report::WhatIf ask() {
    report::Scenario balanced;
    balanced.balanced = "loop";
    return ask(balanced);
  }
  report::WhatIf ask(const report::Scenario& scenario) {
    for (unsigned rank = 0; rank < now.size(); ++rank) job.program(rank, ms, now[rank]);
    return report::what_if(job.finish(), {scenario});
  }

  MpiJob job;
  RegionRef parallel, loop, end_of_loop;
  CommRef teams;
  std::vector<std::uint64_t> now;  ///< by rank
};

}  // namespace

TEST_CASE("ranks that waited at a barrier for one whose loop is balanced wait for the next one then") {
  Job job{3};
  for (unsigned step = 0; step < 4; ++step) {
    job.work(0, 8 * ms, 2 * ms);
    job.work(1, 6 * ms, 6 * ms);
    job.work(2, 1 * ms, 1 * ms);
    job.all(step % 2 == 0 ? "MPI_Barrier" : "MPI_Allreduce", step % 2 == 0 ? barrier : allreduce, ms);
  }
  const report::WhatIf found = job.ask();
  CHECK(found.recorded == 4 * 9 * ms);
  CHECK(found.baseline.wall == 4 * 9 * ms);
  CHECK(found.predictions[0].wall == 4 * 7 * ms);
}

TEST_CASE("ranks that waited at the end of MPI for one whose loop is balanced end earlier") {
  Job job{2};
  job.work(0, 8 * ms, 4 * ms);
  job.work(1, 5 * ms, 5 * ms);
  job.all("MPI_Finalize", destroy_handle, ms);
  const report::WhatIf found = job.ask();
  CHECK(found.baseline.wall == (8 + 1) * ms);
  CHECK(found.predictions[0].wall == (6 + 1) * ms);
}

TEST_CASE("who waited for a message, or for its receiver, waits until the other is there") {
  Job job{2};
  // The receiver comes first: 3 ms before the message, which takes 1 ms.
  job.work(0, 8 * ms, 4 * ms);
  job.work(1, 5 * ms, 5 * ms);
  job.job.send(0, 1, job.now[0], job.now[0] + ms, 10, 100);
  job.job.receive(1, 0, job.now[1], job.now[0] + ms, 11, 100);
  job.now[0] += ms;
  job.now[1] = job.now[0];
  // And then the sender, whose message MPI does not keep.
  job.work(0, 2 * ms, 2 * ms);
  job.work(1, 9 * ms, 1 * ms);
  const std::uint64_t over = job.now[1] + ms;
  job.job.send(0, 1, job.now[0], over, 10, 100);
  job.job.receive(1, 0, job.now[1], over, 11, 100);
  job.now = {over, over};
  const report::WhatIf found = job.ask();
  CHECK(found.baseline.wall == (8 + 1 + 9 + 1) * ms);
  CHECK(found.predictions[0].wall == (6 + 1 + 5 + 1) * ms);
}

TEST_CASE("a root waits for all, all wait for a root, and in a scan for those before") {
  Job job{3};
  const auto step = [&](const std::string& name, unsigned operation, std::uint32_t root,
                        const std::vector<std::uint64_t>& ends) {
    for (unsigned rank = 0; rank < 3; ++rank) {
      job.job.collective(rank, job.now[rank], ends[rank], name, 20, operation, root);
      job.now[rank] = ends[rank];
    }
  };
  const std::uint64_t begin = job.now[0];
  job.work(2, 9 * ms, 1 * ms);
  step("MPI_Reduce", reduce, 0, {begin + 10 * ms, begin + ms, begin + 10 * ms});  // rank 1 goes on
  job.work(1, 3 * ms, 3 * ms);
  job.work(0, 4 * ms, 2 * ms);
  step("MPI_Bcast", broadcast, 0, {begin + 15 * ms, begin + 15 * ms, begin + 15 * ms});
  job.work(1, 7 * ms, 3 * ms);
  step("MPI_Scan", scan, no_root, {begin + 16 * ms, begin + 23 * ms, begin + 23 * ms});
  const report::WhatIf found = job.ask();
  CHECK(found.baseline.wall == 23 * ms);
  // The reduction: 5 and 1; the root's loop 3, the broadcast 1; the loop before the scan 5, the scan 1.
  CHECK(found.predictions[0].wall == (5 + 1 + 3 + 1 + 5 + 1) * ms);
}

TEST_CASE("calls that contradict each other by their clocks stop no simulation") {
  Job job{2};
  job.work(0, 4 * ms, 2 * ms);
  job.work(1, 4 * ms, 2 * ms);
  const std::uint64_t at = job.now[0];
  // Each receives before the other sends.
  job.job.receive(0, 1, at, at + ms, 11, 100);
  job.job.receive(1, 0, at, at + ms, 11, 100);
  job.job.send(0, 1, at + 2 * ms, at + 3 * ms, 10, 100);
  job.job.send(1, 0, at + 2 * ms, at + 3 * ms, 10, 100);
  job.now = {at + 3 * ms, at + 3 * ms};
  const report::WhatIf found = job.ask();
  CHECK(found.baseline.wall == 7 * ms);
  CHECK(found.predictions[0].wall == 6 * ms);
}

TEST_CASE("of two assumptions each must name what it can change") {
  Job job{1};
  job.work(0, 4 * ms, 2 * ms);
  report::Scenario both;
  both.balanced = "loop";
  both.without_lock = "no such lock";
  const report::WhatIf found = job.ask(both);
  CHECK(found.predictions[0].balanced_matched);
  CHECK_FALSE(found.predictions[0].lock_matched);
  CHECK_FALSE(found.predictions[0].matched());
}

TEST_CASE("a number in what is named is the whole of it, and so is a file") {
  const auto is_named = [](const char* text) {
    Job job{1};
    job.work(0, 4 * ms, 2 * ms);
    report::Scenario scenario;
    scenario.balanced = text;
    return job.ask(scenario).predictions[0].balanced_matched;
  };
  for (const char* text : {"loop", "example.c:10", "/src/example.c:10", "loop @example.c:10", "example.c"}) {
    INFO(text);
    CHECK(is_named(text));
  }
  for (const char* text : {"example.c:1", "loop @example.c:1", "ple.c:10", "0"}) {
    INFO(text);
    CHECK_FALSE(is_named(text));
  }
}

TEST_CASE("on libgomp the work of a region that is in no construct may be a static loop's") {
  for (const bool is_libgomp : {false, true}) {
    TraceBuilder trace{2};
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    if (is_libgomp) trace.editable().properties.push_back({"TRACER::RUN::LIBGOMP::0", "2 /lib/libgomp.so.1"});
    trace.simple(0, 1000, EventType::program_begin, 0, 1);
    for (const LocationRef thread : {0u, 1u}) {
      trace.team_begin(thread, 1000, parallel);
      trace.team_end(thread, 1000 + 100 * ms, parallel);
    }
    trace.simple(0, 1000 + 100 * ms, EventType::program_end);
    const auto result = report::what_if(trace, {{4, "", "", -1}, {0, "parallel", "", -1}});
    CHECK(result.unseen == (is_libgomp ? 1 : 0));
    REQUIRE(result.predictions.size() == 2);
    CHECK_FALSE(result.predictions[1].matched());  // no loop
    CHECK(result.predictions[1].named.find("parallel") != std::string::npos);
  }
}
