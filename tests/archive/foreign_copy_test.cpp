// SPDX-License-Identifier: BSD-3-Clause
// What copies of other tools' archives keep of their definitions, and what they leave out.
#include <otf2/otf2.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "again.hpp"
#include "foreign.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/reader.hpp"
#include "formats/otf2/write/sink.hpp"
#include "seed.hpp"
#include "tracer/convert/rewrite.hpp"
#include "tracer/cut/part.hpp"
#include "tracer/cut/part_source.hpp"

using namespace tracer;
using namespace tracer::test;

namespace {

void call(ForeignArchive& archive) {
  OTF2_EvtWriter_Enter(archive.events(), nullptr, 1000, ForeignArchive::region);
  OTF2_EvtWriter_Leave(archive.events(), nullptr, 1100, ForeignArchive::region);
}

using Fields = std::vector<std::uint64_t>;

/// Of each event its kind and its fields.
std::vector<Fields> events_of(const fs::path& directory) {
  std::vector<Fields> all;
  otf2::Trace::open(directory).for_each_event([&](const otf2::EventView& event) {
    Fields& fields = all.emplace_back(Fields{static_cast<std::uint64_t>(event.kind)});
    fields.insert(fields.end(), event.field.begin(), event.field.begin() + otf2::row_of(event.kind).fields);
  });
  return all;
}

/// Of SHMEM and of MPI, each with a window of the same number.
void define_windows(ForeignArchive& archive) {
  std::uint32_t next = 0;
  for (const OTF2_Paradigm paradigm : {OTF2_Paradigm{OTF2_PARADIGM_SHMEM}, OTF2_Paradigm{OTF2_PARADIGM_MPI}}) {
    const std::uint32_t number = next / 2;
    archive.group(next++, OTF2_GROUP_TYPE_COMM_LOCATIONS, paradigm, {ForeignArchive::location});
    archive.group(next, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, {0});
    OTF2_GlobalDefWriter_WriteComm(archive.definitions(), number, archive.string("comm"), next++, OTF2_UNDEFINED_COMM,
                                   OTF2_COMM_FLAG_NONE);
    OTF2_GlobalDefWriter_WriteRmaWin(archive.definitions(), number, archive.string("window"), number,
                                     OTF2_RMA_WIN_FLAG_NONE);
  }
}

}  // namespace

TEST_CASE(
    "groups of locations and of regions stay what they are in a copy, and those of unknown members are left out") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  call(archive);
  OTF2_GlobalDefWriter_WriteParadigm(archive.definitions(), OTF2_PARADIGM_MPI, archive.string("MPI"),
                                     OTF2_PARADIGM_CLASS_PROCESS);
  archive.group(2, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN, {ForeignArchive::location});
  archive.group(3, OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_UNKNOWN, {7});
  archive.group(5, OTF2_GROUP_TYPE_UNKNOWN, OTF2_PARADIGM_UNKNOWN, {1000});
  archive.group(6, OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_UNKNOWN, {ForeignArchive::region});
  archive.group(7, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {ForeignArchive::location});
  archive.group(9, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0});
  OTF2_GlobalDefWriter_WriteComm(archive.definitions(), 4, archive.string("world"), 9, OTF2_UNDEFINED_COMM,
                                 OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  const auto trace = otf2::Trace::open(scratch / "1");
  const otf2::TraceDefinitions& d = trace.definitions();
  REQUIRE(d.groups.size() == 4);
  const std::vector<std::uint8_t> types = {OTF2_GROUP_TYPE_LOCATIONS, OTF2_GROUP_TYPE_REGIONS,
                                           OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_GROUP_TYPE_COMM_GROUP};
  const std::vector<std::uint64_t> members = {0, 1, 0, 0};
  for (std::size_t i = 0; i < types.size(); ++i) {
    INFO("group " << i);
    CHECK(d.groups[i].type == types[i]);
    CHECK(d.groups[i].members == std::vector<std::uint64_t>{members[i]});
  }
  REQUIRE(d.comms.size() == 1);
  CHECK(d.comms[0].group == 3);
  CHECK(d.comms[0].flags == OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
  const auto report = check::check(scratch / "1");
  INFO(explain(report));
  for (const char* rule : {"D02", "D09"}) CHECK(with_outcome(report, check::Outcome::violated).count(rule) == 0);
}

TEST_CASE("properties that are numbers keep their types and values in a copy") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  call(archive);
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const auto property = [&](OTF2_Type type, auto set) {
    OTF2_AttributeValue value{};
    set(value);
    OTF2_GlobalDefWriter_WriteLocationProperty(w, ForeignArchive::location, archive.string("location's"), type, value);
    OTF2_GlobalDefWriter_WriteLocationGroupProperty(w, ForeignArchive::process, archive.string("group's"), type, value);
    OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(w, ForeignArchive::node, archive.string("node's"), type, value);
  };
  property(OTF2_TYPE_UINT8, [](auto& value) { value.uint8 = 200; });
  property(OTF2_TYPE_UINT16, [](auto& value) { value.uint16 = 40'000; });
  property(OTF2_TYPE_UINT64, [](auto& value) { value.uint64 = ~std::uint64_t{0}; });
  property(OTF2_TYPE_INT8, [](auto& value) { value.int8 = -3; });
  property(OTF2_TYPE_INT32, [](auto& value) { value.int32 = -3; });
  property(OTF2_TYPE_INT64, [](auto& value) { value.int64 = INT64_MIN; });
  property(OTF2_TYPE_FLOAT, [](auto& value) { value.float32 = 0.1F; });
  property(OTF2_TYPE_DOUBLE, [](auto& value) { value.float64 = 0.5; });
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  const auto original = otf2::Trace::open(scratch / "0"), copy = otf2::Trace::open(scratch / "1");
  const auto check_equal = [](const auto& of, const auto& in) {
    REQUIRE(of.properties.size() == 8);
    REQUIRE(in.properties.size() == 8);
    for (std::size_t i = 0; i < of.properties.size(); ++i) {
      INFO("type " << unsigned{of.properties[i].type});
      CHECK(in.properties[i].type == of.properties[i].type);
      CHECK(in.properties[i].value == of.properties[i].value);
    }
  };
  const otf2::TraceDefinitions &of = original.definitions(), &in = copy.definitions();
  check_equal(of.locations[0], in.locations[0]);
  check_equal(of.location_groups[0], in.location_groups[0]);
  check_equal(of.nodes[1], in.nodes[1]);
  const auto source = otf2::open_archive(scratch / "1" / "traces.otf2");
  std::vector<std::string> texts;
  for (const Property& one : source->definitions().locations[0].properties) texts.push_back(one.value);
  CHECK(texts == std::vector<std::string>{"200", "40000", "18446744073709551615", "-3", "-3", "-9223372036854775808",
                                          "0.10000000149011612", "0.5"});
}

TEST_CASE("files, directories and handles keep their paradigm, scope and state in a copy") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  OTF2_EvtWriter_Enter(archive.events(), nullptr, 1000, ForeignArchive::region);
  OTF2_EvtWriter_IoDeleteFile(archive.events(), nullptr, 1050, 7, 8);
  OTF2_EvtWriter_Leave(archive.events(), nullptr, 1100, ForeignArchive::region);
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const OTF2_StringRef name = archive.string("/data");
  for (const OTF2_IoParadigmRef paradigm : {std::uint8_t{5}, std::uint8_t{7}})
    OTF2_GlobalDefWriter_WriteIoParadigm(w, paradigm, archive.string(paradigm == 5 ? "POSIX" : "ISOC"), name,
                                         OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, nullptr, nullptr,
                                         nullptr);
  OTF2_GlobalDefWriter_WriteIoDirectory(w, 6, name, ForeignArchive::node);
  OTF2_GlobalDefWriter_WriteIoRegularFile(w, 8, name, ForeignArchive::machine);
  OTF2_GlobalDefWriter_WriteIoHandle(w, 4, name, 8, 7, OTF2_IO_HANDLE_FLAG_PRE_CREATED, OTF2_UNDEFINED_COMM,
                                     OTF2_UNDEFINED_IO_HANDLE);
  OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(w, 4, OTF2_IO_ACCESS_MODE_WRITE_ONLY, OTF2_IO_STATUS_FLAG_APPEND);
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  const auto trace = otf2::Trace::open(scratch / "1");
  const otf2::TraceDefinitions& d = trace.definitions();
  REQUIRE(d.io_paradigms.size() == 2);
  CHECK(d.text(d.io_paradigms[1].identification) == "ISOC");
  CHECK(d.io_paradigms[1].flags == OTF2_IO_PARADIGM_FLAG_OS);
  REQUIRE(d.io_files.size() == 2);
  CHECK((d.io_files[0].is_directory && d.io_files[0].scope == 1));
  CHECK((!d.io_files[1].is_directory && d.io_files[1].scope == 0));
  REQUIRE(d.io_handles.size() == 1);
  CHECK(d.io_handles[0].paradigm == 1);
  REQUIRE(d.io_handles[0].pre_created);
  CHECK(d.io_handles[0].pre_created->access == OTF2_IO_ACCESS_MODE_WRITE_ONLY);
  CHECK(d.io_handles[0].pre_created->status == OTF2_IO_STATUS_FLAG_APPEND);
  trace.for_each_event([](const otf2::EventView& event) {
    if (event.kind == otf2::EventKind::io_delete_file) CHECK((event.field[0] == 1 && event.field[1] == 1));
  });
}

TEST_CASE("metrics of a node or of a set of locations are theirs in a copy, and occur when they did") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  call(archive);
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const OTF2_StringRef name = archive.string("power");
  const OTF2_MetricMemberRef member = 2;
  OTF2_GlobalDefWriter_WriteMetricMember(w, member, name, name, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                                         OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, name);
  archive.group(4, OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_UNKNOWN, {7});  // is left out
  archive.group(6, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN, {ForeignArchive::location});
  OTF2_GlobalDefWriter_WriteMetricClass(w, 3, 1, &member, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_ABSTRACT);
  OTF2_GlobalDefWriter_WriteMetricInstance(w, 5, 3, ForeignArchive::location, OTF2_SCOPE_SYSTEM_TREE_NODE,
                                           ForeignArchive::node);
  OTF2_GlobalDefWriter_WriteMetricInstance(w, 8, 3, ForeignArchive::location, OTF2_SCOPE_GROUP, 6);
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  const auto trace = otf2::Trace::open(scratch / "1");
  std::vector<std::pair<unsigned, std::uint64_t>> scopes;
  for (const otf2::MetricDef& metric : trace.definitions().metrics) {
    if (metric.is_instance) scopes.emplace_back(metric.scope_type, metric.scope);
    if (!metric.is_instance) CHECK(metric.occurrence == OTF2_METRIC_SYNCHRONOUS_STRICT);
  }
  CHECK(scopes ==
        std::vector<std::pair<unsigned, std::uint64_t>>{{OTF2_SCOPE_SYSTEM_TREE_NODE, 1}, {OTF2_SCOPE_GROUP, 0}});
  const auto report = check::check(scratch / "1");
  INFO(explain(report));
  CHECK(with_outcome(report, check::Outcome::violated).count("D12") == 0);
}

TEST_CASE("locks, forks and one-sided communication of other paradigms are the same in a copy") {
  constexpr std::uint32_t shmem = 0, mpi = 1, rank = 0;
  constexpr std::uint64_t address = 0x7f00'1234'5678;
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  OTF2_EvtWriter* const w = archive.events();
  std::uint64_t time = 1000;
  OTF2_EvtWriter_ThreadFork(w, nullptr, ++time, OTF2_PARADIGM_TBBTHREAD, 2);
  OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, ++time, OTF2_PARADIGM_PTHREAD, 4, 1);
  OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, ++time, OTF2_PARADIGM_OPENMP, 4, 1);
  OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, ++time, OTF2_PARADIGM_OPENMP, 4, 1);
  OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, ++time, OTF2_PARADIGM_PTHREAD, 4, 1);
  OTF2_EvtWriter_ThreadJoin(w, nullptr, ++time, OTF2_PARADIGM_TBBTHREAD);
  OTF2_EvtWriter_RmaCollectiveBegin(w, nullptr, ++time);
  OTF2_EvtWriter_RmaCollectiveEnd(w, nullptr, ++time, OTF2_COLLECTIVE_OP_BCAST, OTF2_RMA_SYNC_LEVEL_MEMORY, shmem, rank,
                                  100, 200);
  OTF2_EvtWriter_RmaRequestLock(w, nullptr, ++time, shmem, rank, address, OTF2_LOCK_SHARED);
  OTF2_EvtWriter_RmaAcquireLock(w, nullptr, ++time, shmem, rank, address, OTF2_LOCK_SHARED);
  OTF2_EvtWriter_RmaReleaseLock(w, nullptr, ++time, shmem, rank, address);
  OTF2_EvtWriter_RmaSync(w, nullptr, ++time, shmem, rank, OTF2_RMA_SYNC_TYPE_NOTIFY_IN);
  OTF2_EvtWriter_RmaGroupSync(w, nullptr, ++time, OTF2_RMA_SYNC_LEVEL_NONE, mpi, 3);
  for (const std::uint32_t window : {shmem, mpi}) {
    OTF2_EvtWriter_RmaPut(w, nullptr, ++time, window, rank, 8, 5);
    OTF2_EvtWriter_RmaOpCompleteBlocking(w, nullptr, ++time, window, 5);
    OTF2_EvtWriter_RmaGet(w, nullptr, ++time, window, rank, 8, 6);
    OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, nullptr, ++time, window, 6);
  }
  define_windows(archive);
  archive.finish();
  write_again(scratch / "0", scratch / "1");
  CHECK(events_of(scratch / "1") == events_of(scratch / "0"));
  for (const char* const copy : {"0", "1"}) {
    const auto report = check::check(scratch / copy);
    INFO(explain(report));
    CHECK(with_outcome(report, check::Outcome::violated).count("E11") == 0);
  }
}

TEST_CASE("what a copy leaves out is counted by its kind") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  OTF2_EvtWriter* const events = archive.events();
  const OTF2_StringRef arguments[] = {1, 2};
  OTF2_EvtWriter_ProgramBegin(events, nullptr, 1000, 4, 2, arguments);
  OTF2_EvtWriter_IoAcquireLock(events, nullptr, 1010, 4, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoAcquireLock(events, nullptr, 1020, 4, OTF2_LOCK_SHARED);
  OTF2_EvtWriter_CallingContextSample(events, nullptr, 1030, 0, 1, 0);
  OTF2_AttributeList* const list = OTF2_AttributeList_New();
  OTF2_AttributeList_AddSourceCodeLocationRef(list, 0, 0);
  OTF2_EvtWriter_ProgramEnd(events, list, 1100, 0);
  OTF2_AttributeList_Delete(list);
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const OTF2_StringRef name = archive.string("x");
  OTF2_GlobalDefWriter_WriteAttribute(w, 0, name, name, OTF2_TYPE_SOURCE_CODE_LOCATION);
  OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(w, ForeignArchive::node, OTF2_SYSTEM_TREE_DOMAIN_NUMA);
  OTF2_GlobalDefWriter_WriteSourceCodeLocation(w, 0, name, 7);
  OTF2_GlobalDefWriter_WriteCallingContext(w, 0, ForeignArchive::region, 0, OTF2_UNDEFINED_CALLING_CONTEXT);
  OTF2_GlobalDefWriter_WriteInterruptGenerator(w, 0, name, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -9,
                                               1000);
  OTF2_GlobalDefWriter_WriteMetricClassRecorder(w, 0, ForeignArchive::location);
  OTF2_GlobalDefWriter_WriteCartDimension(w, 0, name, 2, OTF2_CART_PERIODIC_TRUE);
  OTF2_GlobalDefWriter_WriteCartDimension(w, 1, name, 2, OTF2_CART_PERIODIC_TRUE);
  archive.group(3, OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_UNKNOWN, {7});
  archive.finish();
  for (const char* file : {"0/traces.marker", "0/traces/70.snap"}) std::ofstream{scratch / file} << "x";
  const auto source = otf2::open_archive(scratch / "0" / "traces.otf2");
  rewrite(*source, *make_otf2_sink(scratch / "1"));
  CHECK(source->unsupported() == std::map<std::string, std::uint64_t>{{"CallingContext", 1},
                                                                      {"CallingContextSample", 1},
                                                                      {"MetricClassRecorder", 1},
                                                                      {"CartDimension", 2},
                                                                      {"Group", 1},
                                                                      {"InterruptGenerator", 1},
                                                                      {"IoAcquireLock", 2},
                                                                      {"SourceCodeLocation", 1},
                                                                      {"SystemTreeNodeDomain", 1},
                                                                      {"argument of ProgramBegin", 2},
                                                                      {"attribute that is a source code location", 1},
                                                                      {"marker file", 1},
                                                                      {"snapshot file", 1}});
  CHECK(source->untranslated() ==
        std::map<std::string, std::uint64_t>{{"CallingContextSample", 1}, {"IoAcquireLock", 2}});
  const auto again = otf2::open_archive(scratch / "1" / "traces.otf2");
  rewrite(*again, *make_otf2_sink(scratch / "2"));
  CHECK(again->unsupported().empty());
}

TEST_CASE("of a part of the time those events are left out that lie in it, wherever reading begins and ends") {
  const Scratch scratch;
  ForeignArchive archive{scratch / "0"};
  OTF2_EvtWriter* const events = archive.events();
  OTF2_EvtWriter_Enter(events, nullptr, 1000, ForeignArchive::region);
  OTF2_EvtWriter_IoAcquireLock(events, nullptr, 1010, 4, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoTryLock(events, nullptr, 1040, 4, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_IoReleaseLock(events, nullptr, 1080, 4, OTF2_LOCK_EXCLUSIVE);
  OTF2_EvtWriter_Leave(events, nullptr, 1100, ForeignArchive::region);
  archive.definitions();
  archive.finish();
  report::Part part;
  part.from = 30;
  part.to = 60;
  const auto source = otf2::open_archive(scratch / "0" / "traces.otf2");
  const auto cut = report::part_of(*source, part);
  rewrite(*cut, *make_otf2_sink(scratch / "1"));
  CHECK(cut->unsupported() == std::map<std::string, std::uint64_t>{{"IoTryLock", 1}});
}
