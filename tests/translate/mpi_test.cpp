// SPDX-License-Identifier: BSD-3-Clause
// Records of MPI's wrappers, and what they become in a part of a job.
#include "catch.hpp"
#include "mpi_records.hpp"
#include "support/memory_trace.hpp"
#include "tracer/mpi_functions.hpp"
#include "tracer/translate/translate.hpp"

using namespace tracer;
using namespace tracer::test;

TEST_CASE("a non-blocking send and its end are events of its calls") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.channel(0) = {
      rec(10, RecordKind::mpi_send, begin, MpiFunction::Isend, 0, 24, 0x1000),
      more(7, 0, 5),
      rec(12, RecordKind::mpi_call, end, MpiFunction::Isend),
      rec(20, RecordKind::mpi_call, begin, MpiFunction::Wait, 0, 0, 0x2000),
      rec(30, RecordKind::mpi_request, end, MpiFunction::Wait, static_cast<std::uint32_t>(MpiRequestStep::sent), 7),
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin, enter, mpi_isend, leave, enter, mpi_isend_complete, leave, program_end});
  CHECK(report.repairs.empty());
  const auto& location = sink.locations.at(0);
  const Event& send = location.events[2];
  CHECK(send.a == 24);
  CHECK(send.b == std::uint64_t{5} << 32);
  CHECK(send.attributes == 1);
  const auto payload = location.attributes.at(1);  // behind the process id
  CHECK(payload.is_payload());
  CHECK(payload.value == 7);
  CHECK(location.events[5].a == 7);
  const auto& region = sink.definitions.regions.at(location.events[1].ref);
  CHECK(region.name == "MPI_Isend @0x1000");
  CHECK(region.canonical == "MPI_Isend");
  CHECK(region.paradigm == Paradigm::mpi);
  CHECK(region.role == RegionRole::point2point);
}

TEST_CASE("a part knows its own rank's location, and communicators with parents and names") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.channel(0) = {
      rec(10, RecordKind::mpi_call, begin, MpiFunction::Comm_split, 1, 0, 0x1000),
      rec(20, RecordKind::mpi_comm, begin, MpiFunction::Comm_split, 2),
      rec(21, RecordKind::mpi_collective, end, MpiFunction::Comm_split, 0),
      more(0, mpi_root_none, static_cast<std::uint64_t>(MpiOperation::create_handle)),
  };
  run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) ==
        Types{program_begin, enter, mpi_collective_begin, comm_create, mpi_collective_end, leave, program_end});
  const Definitions& d = sink.definitions;
  const Event& created = sink.locations.at(0).events[3];
  const Comm& made = d.comms.at(created.ref);
  CHECK(made.name == "mine; or = not");
  CHECK(d.comms.at(made.parent).name == "MPI_COMM_WORLD");
  CHECK(d.groups.at(made.group).members == std::vector<std::uint32_t>{1});
  const auto world_locations = std::find_if(d.groups.begin(), d.groups.end(), [](const Group& g) {
    return g.kind == GroupKind::comm_locations && g.paradigm == Paradigm::mpi;
  });
  REQUIRE(world_locations != d.groups.end());
  CHECK(world_locations->members == std::vector<std::uint32_t>{undefined_ref, 0});
  CHECK(d.groups_of_locations.at(0).name == "MPI Rank 1");
  CHECK(sink.locations.at(0).attributes.at(1).number() == undefined_ref);
}

TEST_CASE("an archive says whether communication of MPI is missing, and without MPI nothing of it") {
  const auto complete = [](const MemorySource& source) {
    MemorySink sink;
    run(source, sink);
    std::string value;
    for (const Property& property : sink.definitions.properties)
      if (property.name == "OTF2::MPI_COMMUNICATION_COMPLETE") value += property.value;
    return value;
  };
  const auto call = [](Ticks time, Endpoint at) {
    return rec(time, RecordKind::mpi_call, at, MpiFunction::Barrier, 0, 0, at == begin ? 0x1000 : 0);
  };
  MemorySource source;
  source.journal_to_fill().ending = Ending::finalize;
  source.channel(0) = {call(10, begin), call(11, end)};
  CHECK(complete(source).empty());
  world(source);
  source.journal_to_fill().counters["mpi.not_told.calls that found nothing"] = 7;
  CHECK(complete(source) == "true");
  source.journal_to_fill().counters["mpi.not_told.receives that failed"] = 1;
  CHECK(complete(source) == "false");
}

TEST_CASE("a collective operation that failed, or whose call was left by an exception, is a region only") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.journal_to_fill().facts["MPI::WINDOW::0"] = "identity=WORLD/w1;comm=0";
  const auto call = [](Ticks time, Endpoint at, MpiFunction function) {
    return rec(time, RecordKind::mpi_call, at, function, at == begin ? 1 : 0, 0, at == begin ? 0x1000 : 0);
  };
  const auto window = [](Ticks time, Endpoint at, std::uint32_t number) {
    return rec(time, RecordKind::mpi_rma, at, MpiFunction::Win_fence, number, 0, at == begin ? 0x1000 : 0);
  };
  const auto step = [](RmaStep what) { return more(0, static_cast<std::uint32_t>(what), 0); };
  const auto is_done = more(0, mpi_root_none, static_cast<std::uint64_t>(MpiOperation::barrier));
  source.channel(0) = {
      call(10, begin, MpiFunction::Bcast),
      call(11, end, MpiFunction::Bcast),  // failed
      call(20, begin, MpiFunction::Barrier),
      rec(21, RecordKind::mpi_collective, end, MpiFunction::Barrier, 0),
      is_done,
      call(30, begin, MpiFunction::Allreduce),  // fails, and its error handler calls another
      call(31, begin, MpiFunction::Barrier),
      rec(32, RecordKind::mpi_collective, end, MpiFunction::Barrier, 0),
      is_done,
      call(33, end, MpiFunction::Allreduce),
      window(40, begin, 0),
      step(RmaStep::collective_begin),
      call(41, end, MpiFunction::Win_fence),  // failed
      window(50, begin, 0),
      step(RmaStep::collective_begin),
      window(51, end, 0),
      step(RmaStep::collective_end),
      call(60, begin, MpiFunction::Barrier),  // hangs
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin,
                                enter,
                                leave,
                                enter,
                                mpi_collective_begin,
                                mpi_collective_end,
                                leave,
                                enter,
                                enter,
                                mpi_collective_begin,
                                mpi_collective_end,
                                leave,
                                leave,
                                enter,
                                leave,
                                enter,
                                mpi_rma_collective_begin,
                                mpi_rma_collective_end,
                                leave,
                                enter,
                                mpi_collective_begin,
                                leave,
                                program_end});
  CHECK(report.repairs.count("MPI event of an unknown communicator left out") == 0);
}

TEST_CASE("events of a communicator that the journal does not know are left out, and their calls are not") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.channel(0) = {
      rec(10, RecordKind::mpi_send, begin, MpiFunction::Send, 9, 24, 0x1000),
      more(0, 0, 5),
      rec(12, RecordKind::mpi_call, end, MpiFunction::Send),
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin, enter, leave, program_end});
  CHECK(report.repairs.at("MPI event of an unknown communicator left out") == 1);
}

TEST_CASE("members that are apart by one distance are a range of the list") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.journal_to_fill().facts["MPI::WORLD_SIZE"] = "30";
  const auto members = [&](int number, const char* list) {
    source.journal_to_fill().facts["MPI::COMM::" + std::to_string(number)] =
        "identity=WORLD/" + std::to_string(number) + "@0;size=4;members=" + list + ";name=apart";
  };
  members(3, "1,8-20:6");
  members(4, "1,8-20:0,2-3:");
  run(source, sink);
  const Definitions& d = sink.definitions;
  std::vector<std::vector<std::uint32_t>> found;
  for (const Comm& comm : d.comms)
    if (comm.name == "apart") found.push_back(d.groups[comm.group].members);
  REQUIRE(found.size() == 2);
  CHECK(found[0] == std::vector<std::uint32_t>{1, 8, 14, 20});
  CHECK(found[1] == std::vector<std::uint32_t>{1, undefined_ref, undefined_ref, undefined_ref});
}

TEST_CASE("communicators that claim more members together than jobs have are left out, as those that are not known") {
  MemorySource source;
  MemorySink sink;
  world(source);
  const auto claim = [&](int number, const char* members) {
    source.journal_to_fill().facts["MPI::COMM::" + std::to_string(number)] =
        "identity=WORLD/" + std::to_string(number) + "@0;size=16000000;members=" + members + ";name=large";
  };
  claim(3, "0");
  claim(4, "1");
  claim(5, "0-1");  // there is room for two
  claim(6, "0");    // of the same members as the first
  source.channel(0) = {
      rec(10, RecordKind::mpi_send, begin, MpiFunction::Send, 5, 24, 0x1000),
      more(0, 0, 5),
      rec(12, RecordKind::mpi_call, end, MpiFunction::Send),
  };
  const auto report = run(source, sink);
  const Definitions& d = sink.definitions;
  std::vector<std::uint32_t> groups;
  for (const Comm& comm : d.comms)
    if (comm.name == "large") groups.push_back(comm.group);
  REQUIRE(groups.size() == 3);
  CHECK(groups[0] != groups[1]);
  CHECK(groups[2] == groups[0]);
  CHECK(report.repairs.at("MPI event of an unknown communicator left out") == 1);
}

TEST_CASE("a file's handle is made, written by a request, and gone, in the calls that did it") {
  MemorySource source;
  MemorySink sink;
  world(source);
  source.journal_to_fill().facts["MPI::IOHANDLE::0"] = "comm=0;name=/data/a;b";
  source.journal_to_fill().facts["MPI::IOHANDLE::1"] = "again=2;name=/data/a;b";
  source.journal_to_fill().facts["MPI::IOFILE::0"] = "/data/old";
  const auto io = [](Ticks time, Endpoint at, MpiFunction function, std::uint32_t handle, std::uint64_t bytes = 0) {
    return rec(time, RecordKind::mpi_io, at, function, handle, bytes, at == begin ? 0x1000 : 0);
  };
  const auto rest = [](IoStep step, std::uint64_t id = 0, std::uint32_t mode = 0, std::uint32_t flags = 0,
                       std::uint64_t offset = 0) {
    return Record{id, RecordKind::more, none, 0, static_cast<std::uint32_t>(step) | mode << 8 | flags << 16, 0, offset};
  };
  source.channel(0) = {
      rec(10, RecordKind::mpi_call, begin, MpiFunction::File_open, 0, 0, 0x1000),
      io(20, end, MpiFunction::File_open, 1, 5),
      rest(IoStep::handle_made, 0, 2, 256),
      rec(21, RecordKind::mpi_call, begin, MpiFunction::File_seek, 0, 0, 0x1000),
      io(22, end, MpiFunction::File_seek, 1, static_cast<std::uint64_t>(-4)),
      rest(IoStep::seek, 0, 2, 0, 96),
      io(30, begin, MpiFunction::File_iwrite, 1, 24),
      rest(IoStep::operation_begin, 7, 1, 1),
      io(31, end, MpiFunction::File_iwrite, 1),
      rest(IoStep::operation_issued, 7),
      rec(40, RecordKind::mpi_call, begin, MpiFunction::Wait, 0, 0, 0x2000),
      io(41, end, MpiFunction::Wait, 1, 20),
      rest(IoStep::operation_complete, 7),
      rec(50, RecordKind::mpi_call, begin, MpiFunction::File_delete, 0, 0, 0x2000),
      io(51, end, MpiFunction::File_delete, 0),
      rest(IoStep::file_deleted),
      rec(60, RecordKind::mpi_call, begin, MpiFunction::File_close, 0, 0, 0x2000),
      io(61, end, MpiFunction::File_close, 1),
      rest(IoStep::handle_gone),
      io(62, none, MpiFunction::File_close, 9),
      rest(IoStep::handle_gone),
  };
  const auto report = run(source, sink);
  using enum EventType;
  CHECK(types_of(sink) == Types{program_begin,
                                enter,
                                io_create_handle,
                                leave,
                                enter,
                                io_seek,
                                leave,
                                enter,
                                io_operation_begin,
                                io_operation_issued,
                                leave,
                                enter,
                                io_operation_complete,
                                leave,
                                enter,
                                io_delete_file,
                                leave,
                                enter,
                                io_destroy_handle,
                                leave,
                                program_end});
  CHECK(report.repairs.at("MPI event of an unknown communicator left out") == 1);  // of a handle that nobody made
  const auto& events = sink.locations.at(0).events;
  CHECK(events[2].sub == 2);
  CHECK(events[2].a == (5 | std::uint64_t{256} << 32));
  CHECK(events[5].a == static_cast<std::uint64_t>(-4));
  CHECK(events[5].b == 96);
  CHECK(events[8].sub == (1 | 1 << 8));
  CHECK(events[8].a == 24);
  CHECK(events[12].a == 20);
  CHECK(events[12].b == 7);
  const auto& d = sink.definitions;
  REQUIRE(d.io_files.size() == 2);
  CHECK(d.io_files[0].name == "/data/a;b");
  CHECK(d.io_files[1].name == "/data/old");
  REQUIRE(d.io_handles.size() == 2);
  CHECK(d.io_handles[1].name == "/data/a;b (2)");
  CHECK(d.io_handles[0].comm != undefined_ref);
  CHECK(d.io_handles[1].comm == undefined_ref);
}
