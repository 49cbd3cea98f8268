// SPDX-License-Identifier: BSD-3-Clause
// What a report says of MPI jobs of known structure.
#include "catch.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/report/mpi_received.hpp"
#include "tests/report/mpi_traces.hpp"
#include "tests/report/mpi_two_ranks.hpp"
#include "tests/report/reported.hpp"
#include "tracer/cut/part_source.hpp"
#include "tracer/replay/comm_members.hpp"
#include "tracer/replay/mpi/world.hpp"
#include "tracer/replay/timeline.hpp"
#include "tracer/report/analyze.hpp"
#include "tracer/report/forms/write.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

TEST_CASE("where most of a trace are calls that ask, it is said how to leave them out") {
  const auto notes_of = [](std::uint64_t calls, const char* function, std::vector<Property> properties = {}) {
    MpiJob job = two_ranks(2 * calls + ms);
    const RegionRef region = job.function(function, 30);
    for (std::uint64_t i = 0; i < calls; ++i) {
      job.trace.enter(0, start + 2 * i, region);
      job.trace.leave(0, start + 2 * i + 1, region);
    }
    auto& all = job.trace.editable().properties;
    all.insert(all.end(), properties.begin(), properties.end());
    std::map<std::string, std::string> notes;
    const Json report = report_of(job.finish());
    for (const Json& note : report["verdict"]["notes"]) notes[note["id"]] = note["text"];
    return notes;
  };
  CHECK(notes_of(1'100'000, "MPI_Testany")["polls"].find(
            "1,100,000 calls of MPI_Testany and the like, most of which") != std::string::npos);
  CHECK(notes_of(1'100'000, "MPI_Comm_rank").count("polls") == 0);
  CHECK(notes_of(1'000, "MPI_Testany").count("polls") == 0);
  auto left_out =
      notes_of(1'000, "MPI_Testany", {{"TRACER::COUNTER::MPI_NOT_TOLD_CALLS_THAT_FOUND_NOTHING", "1234567"}});
  CHECK(left_out["polls-left-out"].find("1,234,567 calls of MPI that found nothing are not in the trace") == 0);
}

TEST_CASE("communicators of one group share its members, in memory too") {
  MpiJob job = two_ranks();
  Definitions& d = job.trace.editable();
  const auto group_of_world = d.comms[1].group;
  const auto duplicate = static_cast<CommRef>(d.comms.size());
  d.comms.push_back({"a duplicate of MPI_COMM_WORLD", group_of_world, 1});
  const report::MpiWorld world{d};
  CHECK(world.worlds() == 1);
  CHECK(world.members(duplicate).size() == 2);
  CHECK(world.members(duplicate).data() == world.members(1).data());
  const report::CommMembers members{d};
  CHECK(members[duplicate] == std::vector<LocationRef>{0, 1});
  CHECK(&members[duplicate] == &members[1]);
}

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

TEST_CASE("unequal work of ranks is a finding where no wait state has the same seconds") {
  const auto findings_of = [](bool has_messages) {
    MpiJob job = two_ranks(1000 * ms);
    for (unsigned rank = 0; rank < 2; ++rank) {
      const RegionRef begin = job.function("MPI_Init", 1);
      job.trace.enter(rank, start, begin);
      job.trace.leave(rank, start + 300 * ms, begin);
    }
    if (has_messages) {
      job.send(0, 1, start + 900 * ms, start + 901 * ms, 10, 8);
      job.receive(1, 0, start + 350 * ms, start + 902 * ms, 20, 8);
    } else {
      job.trace.enter(1, start + 350 * ms, job.function("MPI_Recv", 20));
      job.trace.leave(1, start + 902 * ms, job.function("MPI_Recv", 20));
    }
    std::map<std::string, std::uint64_t> lost;
    const Json report = report_of(job.finish());
    for (const Json& finding : report["verdict"]["findings"]) lost[finding["id"]] = finding["lost_ns"];
    return lost;
  };
  auto lost = findings_of(true);
  CHECK(lost["late-sender"] == 550 * ms);
  CHECK(lost.count("rank-imbalance") == 0);
  lost = findings_of(false);
  CHECK(lost["rank-imbalance"] > 500 * ms);
  CHECK(lost["rank-imbalance"] <= 552 * ms);
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

TEST_CASE("messages with one tag go to receives in the order in which these were posted") {
  MpiJob job = two_ranks();
  for (const std::uint64_t bytes : {4u, 8u, 16u, 32u})
    job.send(0, 1, start + bytes * us, start + bytes * us, 10, bytes);
  for (const std::uint64_t request : {1u, 2u, 3u}) job.irecv(1, start + request * ms, 20, request);
  SECTION("and are waited for in reverse, with one that blocks in between") {
    wait_for(job, start + 10 * ms, 16, 3);
    job.receive(1, 0, start + 20 * ms, start + 21 * ms, 21, 32);
    wait_for(job, start + 30 * ms, 8, 2);
    wait_for(job, start + 40 * ms, 4, 1);
    const Received in_order{{4, 40}, {8, 30}, {16, 10}, {32, 21}};
    CHECK((received(job.finish(), start) == in_order));
  }
  SECTION("and the first is for another sender, or is cancelled") {
    wait_for(job, start + 10 * ms, 8, 3);
    wait_for(job, start + 20 * ms, 4, 2);
    job.trace.enter(1, start + 30 * ms, job.function("MPI_Wait", 50));
    job.trace.simple(1, start + 30 * ms, EventType::mpi_request_cancelled, 0, 1);
    job.trace.leave(1, start + 30 * ms, job.function("MPI_Wait", 50));
    const Received in_order{{4, 20}, {8, 10}};
    CHECK((received(job.finish(), start) == in_order));
  }
  SECTION("and the first is never waited for") {
    wait_for(job, start + 10 * ms, 8, 3);
    wait_for(job, start + 20 * ms, 4, 2);
    const Received in_order{{4, 20}, {8, 10}};
    CHECK((received(job.finish(), start) == in_order));
  }
}

TEST_CASE("a receive that is never over holds back no more than a bounded number of others") {
  constexpr std::uint64_t many = std::uint64_t{3} * report::ReceiveOrder::most_held;
  MpiJob job = two_ranks(4 * many * us + ms);
  job.irecv(1, start, 20, 1);
  for (std::uint64_t i = 0; i < many; ++i) {
    const std::uint64_t at = start + 2 * i * us + us;
    job.send(0, 1, at, at, 10, 8);
    job.receive(1, 0, at, at + us, 20, 8);
  }
  CHECK(received(job.finish(), start).size() == many);
}

TEST_CASE("many ranks that each have a receive that is never over keep their messages") {
  constexpr unsigned ranks = 64;
  constexpr std::uint64_t many = 3000;
  MpiJob job{ranks};
  for (unsigned rank = 0; rank < ranks; ++rank) {
    job.program(rank, start, start + many * ranks * 2 * us + ms);
    job.irecv(rank, start, 20, 1);
  }
  for (std::uint64_t i = 0; i < many; ++i)
    for (unsigned rank = 0; rank < ranks; ++rank) {
      const std::uint64_t at = start + (i * ranks + rank) * 2 * us + us;
      job.send(rank, (rank + 1) % ranks, at, at, 10, 8);
      job.receive((rank + 1) % ranks, rank, at, at + us, 20, 8);
    }
  CHECK(received(job.finish(), start).size() == ranks * many);
}

TEST_CASE("a message that was found before others were posted is the first, whenever it is received") {
  MpiJob job = two_ranks();
  for (const std::uint64_t bytes : {4u, 8u}) job.send(0, 1, start + bytes * us, start + bytes * us, 10, bytes);
  const RegionRef probe = job.function("MPI_Mprobe", 20), receive = job.function("MPI_Mrecv", 21);
  job.trace.enter(1, start + ms, probe);
  job.trace.leave(1, start + ms, probe);
  job.irecv(1, start + 2 * ms, 22, 1);
  wait_for(job, start + 10 * ms, 8, 1);
  job.trace.enter(1, start + 20 * ms, receive);
  job.trace.simple(1, start + 20 * ms, EventType::mpi_recv, 1, 4, std::uint64_t{7} << 32);
  job.trace.leave(1, start + 20 * ms, receive);
  const Received in_order{{4, 20}, {8, 10}};
  CHECK((received(job.finish(), start) == in_order));
}

TEST_CASE("a message is told whose send the program has not waited for") {
  MpiJob job = two_ranks();
  for (const std::uint64_t request : {1u, 2u, 3u}) {
    job.isend(0, 1, start + request * ms, 10, 8 * request, request);
    job.receive(1, 0, start + request * ms, start + (10 + request) * ms, 20, 8 * request);
  }
  const RegionRef wait = job.function("MPI_Wait", 11);
  SECTION("at the end of the trace") {}
  SECTION("and whose request fails") {
    job.trace.enter(0, start + 20 * ms, wait);
    job.trace.simple(0, start + 20 * ms, EventType::mpi_request_cancelled, 0, 2);
    job.trace.leave(0, start + 20 * ms, wait);
  }
  SECTION("and that ends within the call that waits for it") {
    job.trace.enter(0, start + 20 * ms, wait);
    job.isend_is_over(0, start + 20 * ms, 3);
  }
  const Received all{{8, 11}, {16, 12}, {24, 13}};
  TraceBuilder& trace = job.finish();
  CHECK((received(trace, start) == all));
  const Json report = report_of(trace);
  CHECK(report["mpi"]["matched"] == 3);
  CHECK(report["mpi"]["unmatched"] == 0);
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
  CHECK(report["mpi"]["never_received"] == 1);
  CHECK(all_waits(report) == 0);
}

TEST_CASE("more messages than can be kept, which nobody receives, cost only those of their own ranks") {
  constexpr std::uint64_t never_received = 300'000, turns = 1'000;
  MpiJob job{3};
  for (unsigned rank = 0; rank < 3; ++rank) job.program(rank, start, start + 2 * never_received + 10 * turns * us);
  for (std::uint64_t i = 0; i < never_received; ++i) job.send(0, 2, start + 2 * i, start + 2 * i + 1, 10, 8);
  const std::uint64_t then = start + 2 * never_received;
  for (std::uint64_t i = 0; i < turns; ++i) {
    const unsigned from = i % 2;
    job.send(from, 1 - from, then + 10 * i * us + 5 * us, then + 10 * i * us + 6 * us, 11, 8);
    job.receive(1 - from, from, then + 10 * i * us, then + 10 * i * us + 7 * us, 12, 8);
  }
  const Json mpi = report_of(job.finish())["mpi"];
  CHECK(mpi["matched"] == turns);
  CHECK(mpi["given_up"] == never_received);
  CHECK(mpi["unmatched"] == never_received);
  CHECK(mpi["never_received"] == 0);
  CHECK(mpi["waited"]["late_sender_ns"] == turns * 5 * us);
}

TEST_CASE("a message whose kind is given up is no longer looked for, whatever becomes of its request") {
  report::OpenMessages open{2};
  const report::OpenMessages::Key many{0, 0, 1, 7}, few{0, 1, 0, 7};
  for (std::size_t i = 0; i + 1 < open.most(); ++i) open.enqueue(open.add(many), report::OpenMessages::send);
  const std::uint32_t last = open.add(few);
  open.enqueue(last, report::OpenMessages::send);
  REQUIRE(open.is_full());
  CHECK(open.most_crowded(few) == many);
  const auto removed = open.give_up(open.most_crowded(few));
  CHECK(removed.size() == open.most() - 1);
  CHECK(open.is_given_up(many));
  const std::uint64_t use = open[removed.front()].use;
  for (const std::uint32_t slot : removed) open.remove(slot);
  CHECK_FALSE(open.is_full());
  CHECK(open[open.add(few)].use != use);
  CHECK(open.take_oldest(few, report::OpenMessages::receive) == last);
}

TEST_CASE("a message that nobody receives is told by the call that sent it, if all that could receive it is there") {
  const auto said = [](std::vector<Property> properties) {
    MpiJob job = two_ranks();
    job.send(0, 1, start + 1 * ms, start + 2 * ms, 10, 8, 7);
    job.send(0, 1, start + 3 * ms, start + 4 * ms, 11, 8, 8);
    job.receive(1, 0, start + 5 * ms, start + 6 * ms, 20, 8, 7);
    for (Property& property : properties) job.trace.editable().properties.push_back(std::move(property));
    return note_in(report_of(job.finish()), "never-received");
  };
  CHECK(said({}).starts_with("1 message was sent and never received: by MPI_Send @app.c:11 of rank 0 to rank 1."));
  CHECK(said({{"TRACER::EVENTS_LOST", "3"}}).empty());
  CHECK(said({{"TRACER::COUNTER::MPI_NOT_TOLD_RECEIVES_THAT_FAILED", "1"}}).empty());
}

TEST_CASE("of calls that took no time a rank is named that made them") {
  MpiJob job = two_ranks();
  const RegionRef region = job.function("MPI_Comm_rank", 10);
  job.trace.enter(1, start + ms, region);
  job.trace.leave(1, start + ms, region);
  const Json function = report_of(job.finish())["mpi"]["functions"][0];
  CHECK(function["ranks"] == 1);
  CHECK(function["most_rank"] == 1);
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
