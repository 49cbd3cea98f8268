// SPDX-License-Identifier: BSD-3-Clause
// Records of MPI's windows, and what they become in a part of a job.
#include "catch.hpp"
#include "mpi_records.hpp"
#include "support/memory_trace.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a synchronisation on a window says whether it completes accesses, and a window that it has events") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.journal_to_fill().facts["MPI::WINDOW::0"] = "identity=WORLD/w1;comm=0";
  source.journal_to_fill().facts["MPI::GROUP::0"] = "size=1;members=0";
  const auto on_window = [](Ticks time, Endpoint at, MpiFunction function) {
    return rec(time, RecordKind::mpi_rma, at, function, 0, 0, at == begin ? 0x1000 : 0);
  };
  const auto enter_of = [](Ticks time, MpiFunction function) {
    return rec(time, RecordKind::mpi_call, begin, function, 0, 0, 0x1000);
  };
  const auto step = [](RmaStep what, std::uint32_t type = 0) {
    return more(0, static_cast<std::uint32_t>(what) | type << 8, 0);
  };
  const auto end_by = [&](MpiOperation operation) {
    return step(RmaStep::collective_end, static_cast<std::uint32_t>(operation));
  };
  source.channel(0) = {
      on_window(10, begin, MpiFunction::Win_create),
      step(RmaStep::collective_begin),
      on_window(11, none, MpiFunction::Win_create),
      step(RmaStep::window_made),
      on_window(11, end, MpiFunction::Win_create),
      end_by(MpiOperation::create_handle),
      on_window(20, begin, MpiFunction::Win_fence),
      step(RmaStep::collective_begin),
      on_window(21, end, MpiFunction::Win_fence),
      end_by(MpiOperation::barrier),
      enter_of(30, MpiFunction::Win_start),
      on_window(31, end, MpiFunction::Win_start),
      step(RmaStep::group_synchronised),  // of an older trace
      enter_of(40, MpiFunction::Win_complete),
      on_window(41, end, MpiFunction::Win_complete),
      step(RmaStep::group_synchronised, rma_level::both),
  };
  run(source, sink);
  const auto& location = sink.locations.at(0);
  std::vector<std::uint64_t> levels;
  std::size_t listed = 0;
  for (const Event& e : location.events) {
    if (e.type == EventType::mpi_rma_group_sync) levels.push_back(e.a);
    if (e.type == EventType::mpi_rma_collective_end) {
      CHECK(location.attributes.at(listed).number() == mpi_root_none);
      levels.push_back(location.attributes.at(listed).value);
    }
    listed += e.attributes;
  }
  CHECK(levels ==
        std::vector<std::uint64_t>{rma_level::processes, rma_level::both, rma_level::processes, rma_level::both});
  REQUIRE(sink.definitions.windows.size() == 1);
  CHECK(sink.definitions.windows[0].flags == 1);
}

TEST_CASE("a call that makes a window and never returns keeps its begin") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.channel(0) = {
      rec(10, RecordKind::mpi_rma, begin, MpiFunction::Win_create, 0, 0, 0x1000),
      more(0, static_cast<std::uint32_t>(RmaStep::collective_begin), 0),
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin, enter, mpi_rma_collective_begin, leave, program_end});
  CHECK(report.repairs.count("MPI event of an unknown communicator left out") == 0);
}

TEST_CASE("a get, its lock and its end are events on the window, in the calls that they belong to") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.journal_to_fill().facts["MPI::WINDOW::0"] = "identity=WORLD/w1;comm=0;name=halo";
  const auto rma = [](Ticks time, Endpoint at, MpiFunction function, std::uint64_t sent = 0) {
    return rec(time, RecordKind::mpi_rma, at, function, 0, sent, at == begin ? 0x1000 : 0);
  };
  const auto rest = [](RmaStep step, std::uint32_t target, std::uint64_t id, std::uint64_t received = 0,
                       std::uint32_t type = 0) {
    return Record{id, RecordKind::more, none, 0, static_cast<std::uint32_t>(step) | type << 8, target, received};
  };
  source.channel(0) = {
      rma(10, begin, MpiFunction::Win_lock),
      rest(RmaStep::lock_requested, 0, 0, 0, 1),
      rec(11, RecordKind::mpi_call, end, MpiFunction::Win_lock),
      rma(20, begin, MpiFunction::Get),
      rest(RmaStep::get, 0, 7, 24),
      rec(21, RecordKind::mpi_call, end, MpiFunction::Get),
      rec(30, RecordKind::mpi_call, begin, MpiFunction::Win_unlock, 0, 0, 0x2000),
      rma(40, none, MpiFunction::Win_unlock),
      rest(RmaStep::lock_acquired, 0, 0, 0, 1),
      rma(40, none, MpiFunction::Win_unlock),
      rest(RmaStep::complete_there, 0, 7),
      rma(40, end, MpiFunction::Win_unlock),
      rest(RmaStep::lock_released, 0, 0),
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin, enter, mpi_rma_request_lock, leave, enter, mpi_rma_get, leave, enter,
                                mpi_rma_acquire_lock, mpi_rma_complete_there, mpi_rma_release_lock, leave,
                                program_end});
  CHECK(report.repairs.empty());
  const auto& events = sink.locations.at(0).events;
  CHECK(events[5].a == 24);
  CHECK(events[5].b == 7);
  CHECK(events[2].a == 1);
  REQUIRE(sink.definitions.windows.size() == 1);
  CHECK(sink.definitions.windows[0].name == "halo");
}
