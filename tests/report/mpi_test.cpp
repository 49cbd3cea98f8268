// SPDX-License-Identifier: BSD-3-Clause
// What a report says of MPI jobs of known structure.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/mpi_traces.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/part_source.hpp"
#include "tracer/report/timeline.hpp"
#include "tracer/report/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;
constexpr unsigned barrier = 0, broadcast = 1, allreduce = 11, reduce = 12, scan = 14;

Json report_of(EventSource& trace) {
  return Json::parse(report::to_json(report::analyze(trace)));
}

const Json* state(const Json& report, const std::string& name) {
  for (const Json& row : report["mpi"]["wait_states"])
    if (row["state"] == name) return &row;
  return nullptr;
}
std::uint64_t waited(const Json& report, const std::string& name) {
  return report["mpi"]["waited"][name + "_ns"].get<std::uint64_t>();
}
std::uint64_t all_waits(const Json& report) {
  std::uint64_t sum = 0;
  for (const auto& [name, ns] : report["mpi"]["waited"].items()) sum += ns.get<std::uint64_t>();
  return sum;
}
std::uint64_t place(const Json& report, const std::string& name) {
  return report["account"]["time"][name + "_ns"].get<std::uint64_t>();
}

MpiJob two_ranks(std::uint64_t length = 100 * ms) {
  MpiJob job{2};
  for (unsigned rank = 0; rank < 2; ++rank) job.program(rank, start, start + length);
  return job;
}

}  // namespace

TEST_CASE("a receive waits for a late sender, and the lines of both are told") {
  MpiJob job = two_ranks();
  job.send(0, 1, start + 50 * ms, start + 51 * ms, 10, 800);
  job.receive(1, 0, start + 20 * ms, start + 52 * ms, 20, 800);
  const Json report = report_of(job.finish());
  CHECK(waited(report, "late_sender") == 30 * ms);
  CHECK(all_waits(report) == 30 * ms);
  const Json& row = *state(report, "late_sender");
  CHECK(row["at"]["line"] == 20);
  CHECK(row["at"]["most_rank"] == 1);
  CHECK(row["for"]["line"] == 10);
  CHECK(row["for"]["most_rank"] == 0);
  CHECK(row["longest"]["at_ns"] == 20 * ms);
  const Json& mpi = report["mpi"];
  CHECK(mpi["ranks"] == 2);
  CHECK(mpi["messages"] == 1);
  CHECK(mpi["matched"] == 1);
  CHECK(mpi["unmatched"] == 0);
  CHECK(mpi["by_rank"][0]["sent_bytes"] == 800);
  CHECK(mpi["by_rank"][1]["received_bytes"] == 800);
  CHECK(mpi["by_rank"][0]["caused_ns"] == 30 * ms);
  CHECK(mpi["by_rank"][1]["total_ns"] == 32 * ms);
  CHECK(mpi["by_rank"][1]["calls"][0]["function"] == "MPI_Recv");
  CHECK(mpi["matrix"]["cells"] == Json::parse("[[0, 1, 1, 800]]"));
  CHECK(report["event_counts"]["mpi_send"] == 1);
  const std::string text = report::to_text(report::analyze(job.trace), {});
  CHECK(text.find("Late sender: ranks wait 30 ms in MPI_Recv @app.c:20") != std::string::npos);
}

TEST_CASE("a send that is over before anybody asks for the message did not wait, and one that goes on did") {
  MpiJob job = two_ranks();
  job.send(0, 1, start + 10 * ms, start + 11 * ms, 10, 8);
  job.receive(1, 0, start + 40 * ms, start + 41 * ms, 20, 8);
  job.send(0, 1, start + 50 * ms, start + 75 * ms, 11, 8);
  job.receive(1, 0, start + 70 * ms, start + 76 * ms, 21, 8);
  const Json report = report_of(job.finish());
  CHECK(all_waits(report) == 20 * ms);
  CHECK((*state(report, "late_receiver"))["at"]["line"] == 11);
  CHECK((*state(report, "late_receiver"))["for"]["line"] == 21);
}

TEST_CASE("a call that waits for several messages waits once, for the last") {
  MpiJob job{3};
  for (unsigned rank = 0; rank < 3; ++rank) job.program(rank, start, start + 100 * ms);
  job.irecv(0, start + 1 * ms, 30, 100);
  job.irecv(0, start + 2 * ms, 31, 101);
  job.isend(0, 1, start + 3 * ms, 32, 16, 102);
  const RegionRef wait = job.function("MPI_Waitall", 33);
  job.trace.enter(0, start + 10 * ms, wait);
  job.send(1, 0, start + 30 * ms, start + 31 * ms, 40, 8);
  job.receive(1, 0, start + 32 * ms, start + 33 * ms, 41, 16);  // rank 0's send is over when this is posted
  job.send(2, 0, start + 60 * ms, start + 61 * ms, 40, 8);
  job.irecv_is_over(0, start + 62 * ms, 1, 8, 100);
  job.irecv_is_over(0, start + 62 * ms, 2, 8, 101);
  job.isend_is_over(0, start + 62 * ms, 102);
  job.trace.leave(0, start + 62 * ms, wait);
  const Json report = report_of(job.finish());
  CHECK(waited(report, "late_sender") == 50 * ms);
  CHECK(all_waits(report) == 50 * ms);
  const Json& row = *state(report, "late_sender");
  CHECK(row["count"] == 1);
  CHECK(row["at"]["line"] == 33);
  CHECK(row["longest"]["for_rank"] == 2);
  CHECK(report["mpi"]["matched"] == 3);
}

TEST_CASE("messages with one tag are matched in their order, and a cancelled one is not in their way") {
  MpiJob job = two_ranks();
  job.isend(0, 1, start + 1 * ms, 10, 1, 5);
  const RegionRef cancel = job.function("MPI_Wait", 11);
  job.trace.enter(0, start + 2 * ms, cancel);
  job.trace.simple(0, start + 2 * ms, EventType::mpi_request_cancelled, 0, 5);
  job.trace.leave(0, start + 2 * ms, cancel);
  job.send(0, 1, start + 30 * ms, start + 31 * ms, 12, 8);
  job.receive(1, 0, start + 20 * ms, start + 32 * ms, 20, 8);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["matched"] == 1);
  CHECK(report["mpi"]["unmatched"] == 0);
  CHECK(waited(report, "late_sender") == 10 * ms);
  CHECK((*state(report, "late_sender"))["for"]["line"] == 12);
}

TEST_CASE("what is received before it was sent is counted, and nobody waited for it") {
  MpiJob job = two_ranks();
  job.receive(1, 0, start + 20 * ms, start + 22 * ms, 20, 8);
  job.send(0, 1, start + 30 * ms, start + 31 * ms, 10, 8);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["reversed"] == 1);
  CHECK(waited(report, "late_sender") <= 2 * ms);
}

TEST_CASE("ends that are not in the trace are counted") {
  MpiJob job = two_ranks();
  job.send(0, 1, start + 1 * ms, start + 2 * ms, 10, 8);
  job.receive(1, 0, start + 3 * ms, start + 4 * ms, 20, 8, 8);  // another tag
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["matched"] == 0);
  CHECK(report["mpi"]["unmatched"] == 2);
  CHECK(all_waits(report) == 0);
}

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
  MpiJob job{4};
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

TEST_CASE("the account is kept for each process: what threads idle while one is in MPI is a place of its own") {
  MpiJob job{2, 2};
  TraceBuilder& trace = job.trace;
  const auto parallel = trace.region("parallel", RegionRole::parallel);
  for (unsigned rank = 0; rank < 2; ++rank) {
    job.program(rank, start, start + (rank == 0 ? 100 : 60) * ms);
    // Both threads work for 10 ms, then the first is in MPI.
    const LocationRef master = job.master(rank);
    trace.simple(master, start, EventType::thread_fork, 0, 2);
    for (const LocationRef thread : {master, master + 1}) {
      trace.simple(thread, start, EventType::team_begin, rank == 0 ? 0 : 2);
      trace.enter(thread, start, parallel);
      trace.leave(thread, start + 10 * ms, parallel);
      trace.simple(thread, start + 10 * ms, EventType::team_end, rank == 0 ? 0 : 2);
    }
    trace.simple(master, start + 10 * ms, EventType::thread_join);
  }
  Definitions& d = trace.editable();
  d.groups[1].members = {0, 1};
  d.groups.push_back({"", GroupKind::comm_group, Paradigm::openmp, {2, 3}});
  d.comms.push_back({"Thread team 1", static_cast<std::uint32_t>(d.groups.size() - 1), undefined_ref});
  job.send(0, 1, start + 40 * ms, start + 41 * ms, 10, 8);
  job.receive(1, 0, start + 10 * ms, start + 42 * ms, 20, 8);
  const Json report = report_of(job.finish());
  CHECK(report["account"]["total_ns"] == 2 * (100 + 60) * ms);
  CHECK(place(report, "work") == 40 * ms);
  CHECK(place(report, "mpi") == 33 * ms);
  CHECK(place(report, "mpi_idle") == 33 * ms);
  // Of rank 0 from 10 to 40 and from 41 to 100 ms, of rank 1 from 42 to 60.
  CHECK(place(report, "serial") == (89 + 18) * ms);
  CHECK(place(report, "serial_idle") == (89 + 18) * ms);
  CHECK(report["account"]["by_process"][1]["end_ns"] == start + 60 * ms);
  // A process whose start the kernel knows by a tick too late.
  job.trace.editable().groups_of_locations[1].properties = {
      {"TRACER::RUN::PROCESS_START_NS", std::to_string(start + 3 * ms)},
      {"TRACER::RUN::START_RESOLUTION_NS", "10000000"}};
  const Json again = report_of(job.trace);
  const Json& second = again["account"]["by_process"][1];
  std::uint64_t told = 0;
  for (const auto& [place, ns] : second["time"].items()) told += ns.get<std::uint64_t>();
  CHECK(told == second["threads"].get<std::uint64_t>() *
                    (second["end_ns"].get<std::uint64_t>() - second["begin_ns"].get<std::uint64_t>()));
  CHECK(report["processes"][1]["name"] == "MPI Rank 1");
  CHECK(report["processes"][1]["threads"] == Json::parse("[2, 3]"));
  CHECK(report["processes"][1]["time"]["mpi_ns"] == 32 * ms);
  const std::string text = report::to_text(report::analyze(trace), {.rows = 0, .colour = false, .width = 120});
  CHECK(text.find("\n  MPI Rank 1  ") != std::string::npos);
  CHECK(text.find("\n    OMP thread 1") != std::string::npos);
}

TEST_CASE("threads that idle while one is in MPI are a finding, but for MPI's begin and end") {
  const auto is_said = [](const char* call) {
    MpiJob job{1, 2};
    TraceBuilder& trace = job.trace;
    const auto parallel = trace.region("parallel", RegionRole::parallel);
    job.program(0, start, start + 100 * ms);
    trace.simple(0, start, EventType::thread_fork, 0, 2);
    for (const LocationRef thread : {0u, 1u}) {
      trace.simple(thread, start, EventType::team_begin, 0);
      trace.enter(thread, start, parallel);
      trace.leave(thread, start + 10 * ms, parallel);
      trace.simple(thread, start + 10 * ms, EventType::team_end, 0);
    }
    trace.simple(0, start + 10 * ms, EventType::thread_join);
    job.collective(0, start + 20 * ms, start + 90 * ms, call, 30, barrier);
    const Json report = report_of(job.finish());
    CHECK(place(report, "mpi_idle") == 70 * ms);
    const Json& notes = report["verdict"]["notes"];
    const bool is_noted =
        std::any_of(notes.begin(), notes.end(), [](const Json& note) { return note["id"] == "mpi-begin-and-end"; });
    for (const Json& finding : report["verdict"]["findings"])
      if (finding["id"] == "mpi-idle") {
        CHECK_FALSE(is_noted);
        return true;
      }
    CHECK(is_noted);
    return false;
  };
  CHECK(is_said("MPI_Barrier"));
  CHECK_FALSE(is_said("MPI_Init_thread"));
  CHECK_FALSE(is_said("MPI_Finalize"));
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

TEST_CASE("ranks whose threads are bound to the same processors are told so, and not that others were at work") {
  const auto verdict_on = [](std::vector<const char*> bound, const char* online, const char* of_process = "0-3") {
    MpiJob job{static_cast<unsigned>(bound.size())};
    Definitions& d = job.trace.editable();
    for (unsigned rank = 0; rank < bound.size(); ++rank) {
      job.program(rank, start, start + 100 * ms);
      d.groups_of_locations[rank].properties = {{"TRACER::RUN::PROCESSORS_USABLE", "4"},
                                                {"TRACER::RUN::PROCESSORS", of_process},
                                                {"TRACER::RUN::PROCESSORS_ONLINE", online},
                                                {"TRACER::RUN::HOST", rank < 4 ? "node1" : "node2"}};
      Location& thread = d.locations[job.master(rank)];
      if (*bound[rank] != 0) thread.properties.push_back({"TRACER::PROCESSORS", bound[rank]});
      thread.properties.push_back({"TRACER::PROCESSOR_NS", "50000000"});
      thread.properties.push_back({"TRACER::DELAY_NS", "40000000"});
    }
    return report_of(job.finish())["verdict"];
  };
  const auto text_of = [](const Json& verdict) {
    REQUIRE(verdict["findings"].size() == 1);
    CHECK(verdict["findings"][0]["id"] == "oversubscription");
    return verdict["findings"][0]["text"].get<std::string>();
  };
  const Json two = verdict_on({"0", "0"}, "4");
  CHECK(two["state"] == "oversubscribed");
  CHECK(text_of(two).find(
            "2 threads are bound together to processor 0 of node1, and 3 of its 4 processors have no thread:") == 0);
  CHECK(text_of(two).find("80 ms, 44 % of their time (MPI Rank 0: Master thread, MPI Rank 1: Master thread)") !=
        std::string::npos);
  CHECK(two["findings"][0]["advice"].get<std::string>().find("OMP_PLACES=cores") != std::string::npos);
  CHECK(text_of(verdict_on({"0-1", "0", "1", ""}, "8")).find("3 threads are bound together to processors 0-1 of") == 0);
  CHECK(text_of(verdict_on({"", ""}, "4", "2")).find("2 threads are bound together to processor 2 of node1") == 0);
  // Each has its own; they are on different hosts; there is none to spare; it is not known.
  CHECK(verdict_on({"0", "1"}, "4")["state"] == "ok");
  CHECK(verdict_on({"0", "1", "2", "3", "0"}, "4")["state"] == "ok");
  CHECK(verdict_on({"0", "0", "1", "2"}, "3")["notes"][0]["id"] == "busy-machine");
  CHECK(verdict_on({"3-1", "0,,1"}, "4")["state"] == "ok");
}

TEST_CASE("of a job that was killed when it hung it is told where its threads were, and no time that nobody knows of") {
  const auto report_on = [](std::uint64_t end) {
    MpiJob job{2, 2};
    TraceBuilder& trace = job.trace;
    Definitions& d = trace.editable();
    const auto critical = trace.region("critical", RegionRole::critical, 7);
    const RegionRef call = job.function("MPI_Recv", 8);
    for (const unsigned rank : {0u, 1u}) {
      d.groups_of_locations[rank].properties = {{"TRACER::RUN::PROCESS_START_NS", std::to_string(start)},
                                                {"TRACER::RUN::PROCESS_END_NS", std::to_string(start + end)},
                                                {"TRACER::RUN::ENDED", "unknown"}};
      const LocationRef master = job.master(rank);
      trace.simple(master, start, EventType::program_begin, 0, 1);
      trace.enter(master, start + 10 * ms, critical);
      trace.enter(master, start + 20 * ms, call);
      trace.enter(master + 1, start + 5 * ms, critical);
      trace.leave(master + 1, start + 15 * ms, critical);
      if (rank == 1) trace.enter(master + 1, start + 30 * ms, critical);
      trace.leave(master, start + 40 * ms, call);  // as the translator closes what is open
      trace.leave(master, start + 40 * ms, critical);
      if (rank == 1) trace.leave(master + 1, start + 40 * ms, critical);
      trace.simple(master, start + 40 * ms, EventType::program_end);
    }
    return report_of(trace);
  };
  const auto silence_in = [](const Json& report) {
    for (const Json& note : report["verdict"]["notes"])
      if (note["id"] == "silence") return note["text"].get<std::string>();
    return std::string{};
  };
  const Json hung = report_on(60'000 * ms);
  CHECK(silence_in(hung) ==
        "Nothing was recorded in the last 59.96 s before that: it may have hung. Last seen were MPI Rank 0: Master "
        "thread in MPI_Recv @app.c:8, MPI Rank 1: Master thread in MPI_Recv @app.c:8, MPI Rank 1: OMP thread 1 in "
        "critical @example.c:7.");
  CHECK(place(hung, "unknown") == 4 * 59'960 * ms);
  CHECK(place(hung, "serial") <= 2 * 40 * ms);
  CHECK(silence_in(report_on(500 * ms)).empty());
}

TEST_CASE("threads that call MPI though it was begun for one are named") {
  const auto said = [](const char* level) {
    MpiJob job{2, 2};
    TraceBuilder& trace = job.trace;
    trace.editable().properties.push_back({"TRACER::MPI::THREADS", level});
    const RegionRef begin = job.function("MPI_Init", 5, RegionRole::function), send = job.function("MPI_Send", 8),
                    level_of = job.function("MPI_Query_thread", 9, RegionRole::function);
    for (const unsigned rank : {0u, 1u}) {
      const LocationRef master = job.master(rank);
      trace.simple(master, start, EventType::program_begin, 0, 1);
      trace.enter(master, start + ms, begin);
      trace.leave(master, start + 2 * ms, begin);
      trace.enter(master, start + 3 * ms, send);
      trace.leave(master, start + 4 * ms, send);
      trace.enter(master + 1, start + 3 * ms, level_of);
      trace.leave(master + 1, start + 4 * ms, level_of);
      if (rank == 1) trace.enter(master + 1, start + 5 * ms, send);
      if (rank == 1) trace.leave(master + 1, start + 6 * ms, send);
      trace.simple(master, start + 100 * ms, EventType::program_end);
    }
    const Json report = report_of(trace);
    CHECK(report["mpi"]["calls_of_other_threads"] == 1);
    for (const Json& note : report["verdict"]["notes"])
      if (note["id"] == "mpi-thread-level") return note["text"].get<std::string>();
    return std::string{};
  };
  CHECK(said("single").find("(MPI_THREAD_SINGLE), and others made 1, the first of them MPI Rank 1: OMP thread 1 in "
                            "MPI_Send @app.c:8:") != std::string::npos);
  CHECK(said("funneled").find("(MPI_THREAD_FUNNELED)") != std::string::npos);
  CHECK(said("serialized").empty());
  CHECK(said("multiple").empty());
}

TEST_CASE("of jobs in one archive it is told which programs they run, how they ended, and which rank is meant") {
  MpiJob job{5};
  Definitions& d = job.trace.editable();
  d.groups_of_locations[4].name = "MPI Rank 2 of world 2 (no trace)";
  for (std::uint32_t process = 0; process < 4; ++process) {
    LocationGroup& group = d.groups_of_locations[process];
    group.name = "MPI Rank " + std::to_string(process % 2) + " of world " + std::to_string(1 + process / 2);
    group.properties = {{"TRACER::PROGRAM", process < 3 ? "/bin/ocean" : "/bin/air"},
                        {"TRACER::RUN::EXIT_STATUS", process == 1 ? "3" : "0"},
                        {"TRACER::ENDING", "the program ended"}};
    job.program(process, start, start + 100 * ms);
  }
  job.send(3, 2, start + 10 * ms, start + 11 * ms, 10, 8);
  job.receive(2, 3, start, start + 12 * ms, 20, 8);
  const report::Report report = report::analyze(job.finish());
  const std::string text = report::to_text(report, {.rows = 0, .colour = false, .width = 120});
  for (const char* said : {"program      /bin/ocean (3 processes), /bin/air (1 process)\n",
                           "ended        MPI Rank 1 of world 1: exit status 3\n", "\n  MPI Rank 1 of world 2 (air) ",
                           "rank 0 of world 2 for rank 1 of world 2", "  1 of world 2 -> 0 of world 2 "}) {
    INFO(said << text);
    CHECK(text.find(said) != std::string::npos);
  }
  const Json json = Json::parse(report::to_json(report));
  CHECK(json["mpi"]["labels"][3] == "1 of world 2");
  CHECK(json["mpi"]["labels"][4] == "2 of world 2");
  CHECK(json["account"]["begin_ns"] == start);
  CHECK(json["account"]["end_ns"] == start + 100 * ms);
  CHECK(json["account"]["by_process"].size() == 4);
}

TEST_CASE("the matrix of many ranks is folded, and nothing is lost") {
  MpiJob job{200};
  std::uint64_t bytes = 0;
  for (unsigned rank = 0; rank < 200; ++rank) {
    job.program(rank, start, start + 100 * ms);
    job.send(rank, (rank + 1) % 200, start + ms, start + 2 * ms, 10, rank);
    bytes += rank;
  }
  for (unsigned rank = 0; rank < 200; ++rank)
    job.receive(rank, (rank + 199) % 200, start + 3 * ms, start + 4 * ms, 20, (rank + 199) % 200);
  const Json mpi = report_of(job.finish())["mpi"];
  CHECK(mpi["matrix"]["ranks_per_cell"] == 4);
  CHECK(mpi["matched"] == 200);
  std::uint64_t messages = 0, sum = 0;
  for (const Json& cell : mpi["matrix"]["cells"]) {
    CHECK(cell[0].get<unsigned>() < 64);
    messages += cell[2].get<std::uint64_t>();
    sum += cell[3].get<std::uint64_t>();
  }
  CHECK(messages == 200);
  CHECK(sum == bytes);
}

TEST_CASE("of a part of a trace, messages are those that are sent and received in it") {
  struct Count final : TimelineVisitor {
    void message(const Message&) override { ++messages; }
    void message_end(const MessageEnd&) override { ++ends; }
    unsigned messages = 0, ends = 0;
  };
  const auto count = [](const report::Part& part) {
    MpiJob job = ring(3, 1, 2);
    const auto cut = report::part_of(job.trace.set_clock(), part);
    Count counted;
    report::Replay replay{cut->definitions()};
    report::TimelineMessages messages{cut->definitions(), replay, counted};
    replay.add(messages.observer());
    cut->read(replay);
    replay.finish();
    return std::pair{counted.messages, counted.ends};
  };
  report::Part first_step, two_ranks;
  first_step.to = 10 * ms;
  two_ranks.ranks = report::Numbers{"0-1"};
  CHECK(count({}) == std::pair{6u, 12u});
  CHECK(count(first_step) == std::pair{3u, 6u});
  CHECK(count(two_ranks) == std::pair{2u, 8u});
}

TEST_CASE("a part of some ranks, all of it inside a call, has these only, and threads that idle for MPI") {
  MpiJob job{3, 2};
  for (const unsigned rank : {0u, 1u, 2u}) {
    job.program(rank, start, start + 101 * ms);
    job.collective(rank, start + ms, start + 100 * ms, "MPI_Init_thread", 10, barrier);
  }
  job.finish().set_clock();
  report::Part part;
  part.from = 20 * ms;
  part.to = 60 * ms;
  part.ranks = report::Numbers{"1-2"};
  const auto cut = report::part_of(job.trace, part);
  const Json report = report_of(*cut);
  CHECK(place(report, "mpi") == 2 * 40 * ms);
  CHECK(place(report, "mpi_idle") == 2 * 40 * ms);
  CHECK(place(report, "serial_idle") == 0);
  REQUIRE(report["processes"].size() == 2);
  CHECK(report["processes"][0]["name"] == "MPI Rank 1");
  CHECK(report["mpi"]["ranks"] == 3);
  REQUIRE(report["mpi"]["by_rank"].size() == 2);
  CHECK(report["mpi"]["by_rank"][0]["rank"] == 1);
  const Json& notes = report["verdict"]["notes"];
  CHECK(std::any_of(notes.begin(), notes.end(), [](const Json& note) {
    return note["text"].get<std::string>().find("took 40 ms of a rank's 40 ms") != std::string::npos;
  }));
}

TEST_CASE("a part of a job tells its own calls, and that the other ranks are not there") {
  MpiJob job{1};
  Definitions& d = job.trace.editable();
  d.groups[2].members = {undefined_ref, 0, undefined_ref};  // rank 1 of 3
  d.groups[3].members = {0, 1, 2};
  job.program(0, start, start + 100 * ms);
  job.send(0, 2, start + ms, start + 2 * ms, 10, 8);
  job.collective(0, start + 3 * ms, start + 4 * ms, "MPI_Barrier", 11, barrier);
  const Json report = report_of(job.finish());
  CHECK(report["mpi"]["ranks"] == 3);
  CHECK(report["mpi"]["by_rank"][1]["total_ns"] == 2 * ms);
  CHECK(report["mpi"]["unmatched"] == 1);
  CHECK(all_waits(report) == 0);
}
