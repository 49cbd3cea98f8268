// SPDX-License-Identifier: BSD-3-Clause
// What a report says of the processes of an MPI job: where their time went, how they ended, and what is to be changed.
#include "catch.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/mpi_traces.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"
#include "tracer/report/measures/processes.hpp"

using namespace tracer;
using namespace tracer::test;
using namespace tracer::test::collectives;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t start = 1'000'000;

std::uint64_t place(const Json& report, const std::string& name) {
  return report["account"]["time"][name + "_ns"].get<std::uint64_t>();
}

}  // namespace

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
    const bool is_noted = !note_in(report, "mpi-begin-and-end").empty();
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

TEST_CASE("ranks whose threads are bound to the same processors are told so, and not that others were at work") {
  const auto verdict_on = [](std::vector<const char*> bound, const char* online, const char* of_process = "0-3",
                             const char* usable = "4") {
    MpiJob job{static_cast<unsigned>(bound.size())};
    Definitions& d = job.trace.editable();
    for (unsigned rank = 0; rank < bound.size(); ++rank) {
      job.program(rank, start, start + 100 * ms);
      d.groups_of_locations[rank].properties = {{"TRACER::RUN::PROCESSORS_USABLE", usable},
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
  const Json three = verdict_on({"0-1", "0", "1", ""}, "8");
  CHECK(text_of(three).find("3 threads are bound together to processors 0-1 of") == 0);
  CHECK(text_of(three).find("no processor for 120 ms, 44 %") != std::string::npos);
  CHECK(three["findings"][0]["lost_ns"] == 120 * ms);  // without the fourth, which is not bound
  CHECK(three["findings"][0]["win_ns"] == 40 * ms);
  CHECK(text_of(three).find(" hosts ") == std::string::npos);
  const Json hosts = verdict_on({"0", "0", "1", "2", "0", "0", "1", "2"}, "4");
  CHECK(text_of(hosts).find("2 threads are bound together to processor 0 of node1,") == 0);
  CHECK(text_of(hosts).find("no processor for 80 ms, 44 %") != std::string::npos);
  CHECK(text_of(hosts).find("On 2 hosts threads are bound together; on this one they wait longest.") !=
        std::string::npos);
  CHECK(hosts["findings"][0]["lost_ns"] == 80 * ms);
  CHECK(hosts["findings"][0]["win_ns"] == 40 * ms);  // of a run of 100 ms
  CHECK(text_of(verdict_on({"", ""}, "4", "2")).find("2 threads are bound together to processor 2 of node1") == 0);
  // Each has its own; they are on different hosts; it is not known.
  CHECK(verdict_on({"0", "1"}, "4")["state"] == "ok");
  CHECK(verdict_on({"0", "1", "2", "3", "0"}, "4")["state"] == "ok");
  CHECK(verdict_on({"3-1", "0,,1"}, "4")["state"] == "ok");
  // There are not as many processors as ranks, bound or not.
  CHECK(text_of(verdict_on({"0", "0", "1", "2"}, "3")).find("4 threads of 4 ranks share 3 processors:") == 0);
  const Json all = verdict_on({"", "", ""}, "2", "0-1", "2");
  CHECK(all["state"] == "oversubscribed");
  CHECK(text_of(all).find("3 threads of 3 ranks share 2 processors:") == 0);
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
  const std::string where =
      "Last seen were MPI Rank 0: Master thread, MPI Rank 1: Master thread in MPI_Recv @app.c:8; MPI Rank 1: OMP "
      "thread 1 in critical @example.c:7.";
  const Json hung = report_on(60'000 * ms);
  CHECK(note_in(hung, "silence") == "Nothing was recorded in the last 59.96 s before that: it may have hung. " + where);
  CHECK(note_in(hung, "last-seen").empty());
  CHECK(place(hung, "unknown") == 4 * 59'960 * ms);
  CHECK(place(hung, "serial") <= 2 * 40 * ms);
  const Json busy = report_on(500 * ms);
  CHECK(note_in(busy, "silence").empty());
  CHECK(note_in(busy, "last-seen") == where);
}

TEST_CASE("of a job's processes the one is named whose end explains the others', not one that its launcher ended") {
  using report::RunFacts;
  const auto facts = [](std::uint64_t end, const char* ended, int signal, int status, const char* abort = "") {
    RunFacts of;
    of.known = true;
    of.end = end;
    of.ended = ended;
    of.signal = signal;
    of.exit_status = status;
    of.inside = 1;
    of.mpi_abort = abort;
    return of;
  };
  const auto by_signal = [&](int signal, std::uint64_t end) { return facts(end, "signal", signal, -1); };
  const auto by_exit = [&](int status, std::uint64_t end) { return facts(end, "without telling", 0, status); };
  const auto unknown = [&](std::uint64_t end) { return facts(end, "unknown", 0, -1); };
  const auto returned = [&](int status, std::uint64_t end) { return facts(end, "return", 0, status); };
  const auto worst = [](const std::vector<RunFacts>& ends) {
    std::vector<report::ProcessRow> processes(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i) processes[i].facts = ends[i];
    return report::process_that_ended_worst(processes) - processes.data();
  };
  constexpr int killed = 9, crashed = 11, terminated = 15;
  CHECK(worst({by_signal(terminated, 10), by_signal(crashed, 20), by_signal(terminated, 10)}) == 1);
  CHECK(worst({unknown(10), by_signal(crashed, 20)}) == 1);
  CHECK(worst({by_signal(killed, 10), by_signal(crashed, 20)}) == 1);
  CHECK(worst({by_signal(terminated, 10), by_signal(killed, 20)}) == 1);
  CHECK(worst({by_signal(killed, 20), by_exit(6, 10)}) == 1);
  CHECK(worst({by_signal(killed, 10), by_exit(6, 20)}) == 0);
  CHECK(worst({by_signal(terminated, 10), by_exit(6, 20)}) == 1);
  CHECK(worst({by_signal(terminated, 10), unknown(20)}) == 1);
  CHECK(worst({unknown(20), unknown(0), unknown(10)}) == 2);
  CHECK(worst({by_signal(crashed, 10), facts(20, "unknown", 0, -1, "7")}) == 1);
  CHECK(worst({returned(0, 10), returned(3, 20)}) == 1);
  CHECK(worst({returned(0, 20), returned(0, 10)}) == 0);
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
    return note_in(report, "mpi-thread-level");
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

TEST_CASE("programs that a job started and that are in no trace are asked for") {
  const auto is_noted = [](const char* call) {
    MpiJob job{2};
    for (const unsigned rank : {0u, 1u}) {
      job.program(rank, start, start + 100 * ms);
      job.collective(rank, start + 10 * ms, start + 20 * ms, call, 10, barrier);
    }
    return !note_in(report_of(job.finish()), "mpi-spawned").empty();
  };
  CHECK(is_noted("MPI_Comm_spawn"));
  CHECK(is_noted("MPI_Comm_spawn_multiple"));
  CHECK_FALSE(is_noted("MPI_Barrier"));
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
