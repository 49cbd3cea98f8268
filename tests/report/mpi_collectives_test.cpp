// SPDX-License-Identifier: BSD-3-Clause
// Wait states of collective operations, windows and locks in reports of MPI jobs of known structure.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/report/mpi_traces.hpp"
#include "tests/report/mpi_two_ranks.hpp"
#include "tests/report/reported.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::test::collectives;
using Json = nlohmann::json;

TEST_CASE("collective operations: who waits for whom depends on the operation") {
  struct Case {
    unsigned operation;
    std::uint32_t root;
    const char* state;
    std::uint64_t ns[4];  // of each rank; they come at 10, 40, 20 and 30 ms
  };
  const Case one = GENERATE(Case{barrier, 0xffffffffu, "wait_at_barrier", {30 * ms, 0, 20 * ms, 10 * ms}},
                            Case{allreduce, 0xffffffffu, "wait_at_nxn", {30 * ms, 0, 20 * ms, 10 * ms}},
                            Case{reduce, 2, "early_reduce", {0, 0, 20 * ms, 0}},
                            Case{broadcast, 3, "late_broadcast", {20 * ms, 0, 10 * ms, 0}},
                            Case{scan, 0xffffffffu, "early_scan", {0, 0, 20 * ms, 10 * ms}});
  const bool lacks_a_rank = GENERATE(false, true);
  MpiJob job{lacks_a_rank ? 5u : 4u};
  if (lacks_a_rank) job.trace.editable().groups_of_locations[4].name += " (no trace)";
  const std::uint64_t comes[] = {10 * ms, 40 * ms, 20 * ms, 30 * ms};
  for (unsigned rank = 0; rank < 4; ++rank) {
    job.program(rank, start, start + 100 * ms);
    job.collective(rank, start + comes[rank], start + 50 * ms, "MPI_Something", 10 + rank, one.operation, one.root);
  }
  const Json report = report_of(job.finish());
  std::uint64_t all = 0;
  for (unsigned rank = 0; rank < 4; ++rank) {
    CHECK(report["mpi"]["by_rank"][rank]["waited"][std::string{one.state} + "_ns"] == one.ns[rank]);
    all += one.ns[rank];
  }
  CHECK(all_waits(report) == all);
  CHECK(report["mpi"]["collectives"] == 1);
  CHECK(report["mpi"]["incomplete_collectives"] == 0);
}

TEST_CASE("in a scan a rank waits for those before it in the communicator, whatever their ranks in the world") {
  MpiJob job{4};
  Definitions& definitions = job.trace.editable();
  definitions.groups.push_back({"", GroupKind::comm_group, Paradigm::mpi, {3, 2, 1, 0}});
  definitions.comms.push_back({"reversed", static_cast<std::uint32_t>(definitions.groups.size() - 1), undefined_ref});
  const auto reversed = static_cast<CommRef>(definitions.comms.size() - 1);
  const std::uint64_t comes[] = {10 * ms, 40 * ms, 20 * ms, 30 * ms}, waits[] = {30 * ms, 0, 10 * ms, 0};
  for (unsigned rank = 0; rank < 4; ++rank) {
    job.program(rank, start, start + 100 * ms);
    job.collective(rank, start + comes[rank], start + 50 * ms, "MPI_Scan", 10, scan, 0xffffffffu, reversed);
  }
  const Json report = report_of(job.finish());
  for (unsigned rank = 0; rank < 4; ++rank)
    CHECK(report["mpi"]["by_rank"][rank]["waited"]["early_scan_ns"] == waits[rank]);
}

TEST_CASE("ranks wait at the end of MPI for the last one, where all are in it at a time") {
  const auto report_with = [](std::uint64_t early_leave) {
    MpiJob job{4};
    for (unsigned rank = 0; rank < 4; ++rank) {
      job.program(rank, start, start + 1000 * ms);
      job.collective(rank, start + (rank == 0 ? 990 : 100) * ms, start + (rank == 0 ? 1000 : early_leave) * ms,
                     "MPI_Finalize", 10, destroy_handle);
    }
    return report_of(job.finish());
  };
  const Json report = report_with(1000);
  CHECK(waited(report, "wait_at_barrier") == 3 * 890 * ms);
  CHECK(all_waits(report) == 3 * 890 * ms);
  const Json& found = finding(report, "wait-at-barrier");
  check_near(found["lost_ns"], 3 * 890e6);
  CHECK(found["text"].get<std::string>().find("ranks wait 2.67 s in MPI_Finalize @app.c:10") != std::string::npos);
  CHECK(found["text"].get<std::string>().find("Ranks have unequal work") != std::string::npos);
  CHECK(found["advice"].get<std::string>().find("Is the barrier needed") == std::string::npos);
  CHECK(note_in(report, "mpi-begin-and-end").empty());
  CHECK(all_waits(report_with(900)) == 0);  // this MPI lets ranks go before the last one comes
}

TEST_CASE("nobody has waited for who came when he had left: there was nothing to get from that one") {
  MpiJob job{3};
  const std::uint64_t comes[] = {ms, 50 * ms, 100 * ms}, leaves[] = {51 * ms, 51 * ms, 101 * ms};
  for (unsigned rank = 0; rank < 3; ++rank) {
    job.program(rank, start, start + 200 * ms);
    job.collective(rank, start + comes[rank], start + leaves[rank], "MPI_Alltoallv", 10, allreduce, 0xffffffffu);
  }
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["by_rank"][0]["waited"]["wait_at_nxn_ns"] == 49 * ms);
  CHECK(all_waits(report) == 49 * ms);
}

TEST_CASE("waits that are shorter than clocks of hosts may be off are told so, and are no sure finding") {
  const auto report_with = [](std::vector<Property> properties) {
    MpiJob job = two_ranks();
    for (Property& property : properties) job.trace.editable().properties.push_back(std::move(property));
    for (std::uint64_t at = start + ms; at < start + 99 * ms; at += ms) {
      job.collective(0, at, at + 900 * us, "MPI_Barrier", 10, barrier);
      job.collective(1, at + 800 * us, at + 900 * us, "MPI_Barrier", 10, barrier);
    }
    return report::analyze(job.finish());
  };
  const auto sureness = [](const report::Report& report) {
    return finding(Json::parse(report::to_json(report)), "wait-at-barrier")["sure"].get<std::string>();
  };
  const report::Report one_clock = report_with({}), hosts = report_with({{"TRACER::CLOCK::UNCERTAINTY_NS", "1000000"}});
  CHECK(report::to_text(one_clock, {}).find("may be off") == std::string::npos);
  CHECK(report::to_text(hosts, {}).find("Times of different hosts may be off by 1 ms") != std::string::npos);
  CHECK(hosts.mpi.clock_uncertainty == ms);
  CHECK(sureness(hosts) == "low");
  CHECK(sureness(one_clock) != "low");
}

TEST_CASE("a collective operation that one rank never came to is counted") {
  MpiJob job{3};
  for (unsigned rank = 0; rank < 3; ++rank) job.program(rank, start, start + 100 * ms);
  for (unsigned rank = 0; rank < 2; ++rank)
    job.collective(rank, start + ms, start + 2 * ms, "MPI_Bcast", 10, broadcast, 0);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["collectives"] == 0);
  CHECK(report["mpi"]["incomplete_collectives"] == 1);
}

TEST_CASE("ranks that do different operations on a communicator at a time are out of step from there on") {
  MpiJob job = two_ranks();
  const auto both = [&](std::uint64_t at, const char* one, unsigned first, const char* other, unsigned second,
                        std::uint32_t root) {
    job.collective(0, start + at * ms, start + (at + 5) * ms, one, 10, first, first == broadcast ? 0 : 0xffffffffu);
    job.collective(1, start + (at + 4) * ms, start + (at + 5) * ms, other, 11, second, root);
  };
  both(10, "MPI_Barrier", barrier, "MPI_Barrier", barrier, 0xffffffffu);
  SECTION("another operation") {
    both(20, "MPI_Bcast", broadcast, "MPI_Barrier", barrier, 0xffffffffu);
  }
  SECTION("another root") {
    both(20, "MPI_Bcast", broadcast, "MPI_Bcast", broadcast, 1);
  }
  both(30, "MPI_Barrier", barrier, "MPI_Barrier", barrier, 0xffffffffu);
  const report::Report analyzed = report::analyze(job.finish());
  const Json report = Json::parse(report::to_json(analyzed));
  CHECK(all_waits(report) == 4 * ms);
  CHECK(report["mpi"]["out_of_step"] == 1);
  CHECK(report["mpi"]["collectives"] == 1);
  CHECK(report["mpi"]["incomplete_collectives"] == 0);
  CHECK(report::to_text(analyzed, {}).find("On 1 communicator or window the ranks' collective operations do not") !=
        std::string::npos);
}

TEST_CASE("a non-blocking operation is waited for where it is completed") {
  MpiJob job = two_ranks();
  for (unsigned rank = 0; rank < 2; ++rank) {
    const RegionRef begin = job.function("MPI_Ibarrier", 10), wait = job.function("MPI_Wait", 11);
    const std::uint64_t comes = start + (rank == 0 ? 10 : 60) * ms;
    job.trace.enter(rank, comes, begin);
    job.trace.simple(rank, comes, EventType::mpi_collective_request, 0, 9);
    job.trace.leave(rank, comes, begin);
    job.trace.enter(rank, comes + 15 * ms, wait);
    job.event(rank, {start + 80 * ms, EventType::mpi_collective_complete, 0, barrier, 1, 0, 0},
              EventAttribute::payload(0xffffffffu, 9));
    job.trace.leave(rank, start + 80 * ms, wait);
  }
  const Json report = report_of(job.finish());
  CHECK(all_waits(report) == 35 * ms);
  CHECK((*state(report, "wait_at_barrier"))["at"]["line"] == 11);
  CHECK((*state(report, "wait_at_barrier"))["for"]["line"] == 10);
}

TEST_CASE("ranks wait at a fence that synchronises, and for a lock that excludes theirs") {
  MpiJob job{3};
  TraceBuilder& trace = job.trace;
  trace.editable().windows.push_back({"", 1, true});
  const auto call = [&](unsigned rank, const char* name, std::uint64_t from, std::uint64_t to, auto tell) {
    const RegionRef region = job.function(name, 10);
    trace.enter(job.master(rank), start + from * ms, region);
    tell(job.master(rank), start + from * ms, start + to * ms);
    trace.leave(job.master(rank), start + to * ms, region);
  };
  const auto fence = [&](unsigned rank, std::uint64_t from, std::uint64_t to) {
    call(rank, "MPI_Win_fence", from, to, [&](LocationRef at, std::uint64_t begin, std::uint64_t end) {
      trace.simple(at, begin, EventType::mpi_rma_collective_begin);
      trace.simple(at, end, EventType::mpi_rma_collective_end, 0);
    });
  };
  const auto lock = [&](unsigned rank, std::uint64_t type, std::uint64_t from, std::uint64_t to) {
    call(rank, "MPI_Win_lock", from, to, [&](LocationRef at, std::uint64_t begin, std::uint64_t) {
      trace.simple(at, begin, EventType::mpi_rma_request_lock, 0, type);
    });
  };
  const auto unlock = [&](unsigned rank, std::uint64_t type, std::uint64_t from, std::uint64_t to) {
    call(rank, "MPI_Win_unlock", from, to, [&](LocationRef at, std::uint64_t, std::uint64_t end) {
      trace.simple(at, end, EventType::mpi_rma_acquire_lock, 0, type);
      trace.simple(at, end, EventType::mpi_rma_release_lock, 0);
    });
  };
  for (const unsigned rank : {0u, 1u, 2u}) job.program(rank, start, start + 200 * ms);
  for (const unsigned rank : {0u, 1u, 2u}) {
    fence(rank, 10 + 5 * rank, 12 + 5 * rank);  // MPI_MODE_NOPRECEDE: who comes goes on
    fence(rank, 30 + 5 * rank, 41);
  }
  lock(0, 0, 50, 51);
  unlock(0, 0, 60, 62);
  lock(1, 0, 52, 61);  // exclusive, had before the other unlock was over
  unlock(1, 0, 70, 73);
  lock(2, 1, 65, 72);
  unlock(2, 1, 74, 75);
  lock(0, 1, 73, 76);  // both are shared
  unlock(0, 1, 77, 78);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["waited"]["wait_at_fence_ns"] == (10 + 5) * ms);
  CHECK(report["mpi"]["waited"]["lock_contention_ns"] == (8 + 5) * ms);
  CHECK((*state(report, "wait_at_fence"))["longest"]["for_rank"] == 2);
  CHECK((*state(report, "lock_contention"))["longest"]["rank"] == 1);
  CHECK((*state(report, "lock_contention"))["longest"]["for_rank"] == 0);
}

TEST_CASE("of many ranks that lock one target in turn each waits for the one before, and none of a later round does") {
  constexpr unsigned ranks = 200;
  MpiJob job{ranks};
  job.trace.editable().windows.push_back({"", 1, true});
  const RegionRef lock = job.function("MPI_Win_lock", 10), unlock = job.function("MPI_Win_unlock", 11);
  const auto turn = [&](unsigned rank, std::uint64_t asks, std::uint64_t has) {
    const LocationRef at = job.master(rank);
    job.trace.enter(at, asks, lock);
    job.trace.simple(at, asks, EventType::mpi_rma_request_lock, 0, 0);
    job.trace.leave(at, has, lock);
    job.trace.enter(at, has + 500 * us, unlock);
    job.trace.simple(at, has + 900 * us, EventType::mpi_rma_acquire_lock, 0, 0);
    job.trace.simple(at, has + 900 * us, EventType::mpi_rma_release_lock, 0);
    job.trace.leave(at, has + 900 * us, unlock);
  };
  std::uint64_t waited = 0;
  for (unsigned rank = 0; rank < ranks; ++rank) {
    job.program(rank, start, start + 1000 * ms);
    turn(rank, start + 10 * ms, start + (20 + rank) * ms);
    turn(rank, start + (500 + rank) * ms, start + (500 + rank) * ms + 10 * us);
    if (rank != 0) waited += (10 + rank - 1) * ms + 500 * us;
  }
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["waited"]["lock_contention_ns"] == waited);
  CHECK((*state(report, "lock_contention"))["count"] == ranks - 1);
  CHECK((*state(report, "lock_contention"))["longest"]["rank"] == ranks - 1);
  CHECK((*state(report, "lock_contention"))["longest"]["for_rank"] == ranks - 2);
}

TEST_CASE("ranks wait where windows are synchronised by groups: origins for the last post, targets for the last end") {
  MpiJob job{3};
  TraceBuilder& trace = job.trace;
  trace.editable().windows.push_back({"", 1, true});
  const auto group = [&](std::vector<std::uint32_t> members) {
    trace.editable().groups.push_back({"", GroupKind::comm_group, Paradigm::mpi, std::move(members)});
    return static_cast<std::uint32_t>(trace.definitions().groups.size() - 1);
  };
  const std::uint32_t origin = group({0}), targets = group({1, 2});
  const auto call = [&](unsigned rank, const char* name, std::uint64_t from, std::uint64_t to) {
    const RegionRef region = job.function(name, 10);
    trace.enter(job.master(rank), start + from * ms, region);
    trace.simple(job.master(rank), start + to * ms, EventType::mpi_rma_group_sync, rank == 0 ? targets : origin);
    trace.leave(job.master(rank), start + to * ms, region);
  };
  for (const unsigned rank : {0u, 1u, 2u}) job.program(rank, start, start + 100 * ms);
  // An origin that waits at its begin.
  call(0, "MPI_Win_start", 10, 30);
  call(1, "MPI_Win_post", 20, 21);
  call(2, "MPI_Win_post", 30, 31);
  call(0, "MPI_Win_complete", 40, 41);
  call(1, "MPI_Win_wait", 25, 42);
  call(2, "MPI_Win_wait", 32, 42);
  // One that waits at its end; its targets come when it is done, and ask whether it is.
  call(0, "MPI_Win_start", 50, 51);
  call(2, "MPI_Win_post", 55, 56);
  call(1, "MPI_Win_post", 60, 61);
  call(0, "MPI_Win_complete", 52, 62);
  call(1, "MPI_Win_wait", 63, 64);
  call(2, "MPI_Win_test", 57, 63);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["waited"]["late_post_ns"] == (20 + 8) * ms);
  CHECK(report["mpi"]["waited"]["early_wait_ns"] == (15 + 8) * ms);
  CHECK((*state(report, "late_post"))["longest"]["for_rank"] == 2);
  CHECK((*state(report, "early_wait"))["longest"]["rank"] == 1);
  CHECK((*state(report, "early_wait"))["longest"]["for_rank"] == 0);
}
