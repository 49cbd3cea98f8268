// SPDX-License-Identifier: BSD-3-Clause
// Against which call a late partner counts: probes, and exchanges of messages with requests.
#include "catch.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "tests/report/mpi_traces.hpp"
#include "tests/report/mpi_two_ranks.hpp"
#include "tests/report/reported.hpp"

using namespace tracer;
using namespace tracer::test;
using Json = nlohmann::json;

namespace {

void call(MpiJob& job, unsigned rank, const char* name, unsigned line, std::uint64_t enter, std::uint64_t leave) {
  const RegionRef region = job.function(name, line);
  job.trace.enter(rank, start + enter, region);
  job.trace.leave(rank, start + leave, region);
}

}  // namespace

TEST_CASE("a blocking probe waits for the late sender of the message that its thread receives next") {
  MpiJob job = two_ranks();
  job.send(0, 1, start + 50 * ms, start + 50 * ms, 10, 8);
  SECTION("by MPI_Recv") {
    call(job, 1, "MPI_Probe", 20, 20 * ms, 51 * ms);
    job.receive(1, 0, start + 52 * ms, start + 53 * ms, 21, 8);
  }
  SECTION("by MPI_Irecv, behind another probe of the message") {
    call(job, 1, "MPI_Probe", 20, 20 * ms, 51 * ms);
    job.irecv(1, start + 52 * ms, 21, 1);
    call(job, 1, "MPI_Iprobe", 23, 53 * ms, 54 * ms);
    job.trace.enter(1, start + 55 * ms, job.function("MPI_Wait", 22));
    job.irecv_is_over(1, start + 56 * ms, 0, 8, 1);
    job.trace.leave(1, start + 56 * ms, job.function("MPI_Wait", 22));
  }
  SECTION("by MPI_Mrecv") {
    call(job, 1, "MPI_Mprobe", 20, 20 * ms, 51 * ms);
    const RegionRef receive = job.function("MPI_Mrecv", 21);
    job.trace.enter(1, start + 52 * ms, receive);
    job.trace.simple(1, start + 53 * ms, EventType::mpi_recv, 1, 8, std::uint64_t{7} << 32);
    job.trace.leave(1, start + 53 * ms, receive);
  }
  const Json report = report_of(job.finish());
  CHECK(waited(report, "late_sender") == 30 * ms);
  CHECK(all_waits(report) == 30 * ms);
  const Json& row = *state(report, "late_sender");
  CHECK(row["at"]["line"] == 20);
  CHECK(row["for"]["line"] == 10);
  CHECK(row["longest"]["at_ns"] == 20 * ms);
}

TEST_CASE("a probe that was over before a message was sent has found another one") {
  MpiJob job = two_ranks();
  call(job, 1, "MPI_Probe", 20, 10 * ms, 20 * ms);
  job.send(0, 1, start + 50 * ms, start + 50 * ms, 10, 8);
  job.receive(1, 0, start + 30 * ms, start + 52 * ms, 21, 8);
  const Json report = report_of(job.finish());
  CHECK(all_waits(report) == 20 * ms);
  CHECK((*state(report, "late_sender"))["at"]["line"] == 21);
}

TEST_CASE("the longest path goes on from a send to the receive of what a probe has waited for") {
  MpiJob job = two_ranks(41 * ms);
  job.send(0, 1, start + 20 * ms, start + 20 * ms, 10, 8);
  call(job, 1, "MPI_Probe", 20, 0, 20 * ms);
  job.receive(1, 0, start + 20 * ms, start + 21 * ms, 21, 8);
  job.send(1, 0, start + 40 * ms, start + 40 * ms, 22, 8);
  call(job, 0, "MPI_Probe", 11, 20 * ms, 40 * ms);
  job.receive(0, 1, start + 40 * ms, start + 41 * ms, 12, 8);
  const Json report = report_of(job.finish());
  CHECK(report["critical_path_ns"] == 41 * ms);
  CHECK(report["work_ns"] == 42 * ms);
  CHECK(all_waits(report) == 40 * ms);
}

TEST_CASE("of a partner that sends late and posts its receive shortly after, the late send counts") {
  const auto report_with = [](std::uint64_t posted) {
    MpiJob job = two_ranks();
    const RegionRef wait = job.function("MPI_Waitall", 32);
    const std::uint64_t over = start + posted + ms;
    for (const unsigned rank : {0u, 1u}) {
      const std::uint64_t sends = rank == 0 ? ms : 50 * ms, posts = rank == 0 ? ms + 5 * us : posted;
      job.isend(rank, 1 - rank, start + sends, 30, 8, 1);
      job.irecv(rank, start + posts, 31, 2);
      job.trace.enter(rank, start + posts + 5 * us, wait);
      job.isend_is_over(rank, over, 1);
      job.irecv_is_over(rank, over, 1 - rank, 8, 2);
      job.trace.leave(rank, over, wait);
    }
    return report_of(job.finish());
  };
  const Json exchange = report_with(50 * ms + 5 * us), receives_late = report_with(70 * ms);
  CHECK(waited(exchange, "late_sender") == 49 * ms - 10 * us);
  CHECK(all_waits(exchange) == 49 * ms - 10 * us);
  CHECK((*state(exchange, "late_sender"))["for"]["line"] == 30);
  CHECK(waited(receives_late, "late_receiver") == 69 * ms - 10 * us);
  CHECK(all_waits(receives_late) == 69 * ms - 10 * us);
}
