// SPDX-License-Identifier: BSD-3-Clause
// Values of every type that OTF2 has, in copies of other tools' archives.
#include <otf2/otf2.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "again.hpp"
#include "catch.hpp"
#include "foreign.hpp"
#include "formats/otf2/read/event_source.hpp"
#include "formats/otf2/read/reader.hpp"
#include "support/scratch.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

namespace {

using Values = std::vector<std::pair<OTF2_Type, std::uint64_t>>;  ///< the latter: the bits of the type's width

constexpr std::uint64_t undefined64 = ~std::uint64_t{0}, undefined32 = OTF2_UNDEFINED_UINT32;

std::uint64_t bits_of(OTF2_Type type, std::uint64_t value) {
  switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
      return value & 0xff;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
      return value & 0xffff;
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
    case OTF2_TYPE_LOCATION:
      return value;
    default:
      return value & undefined32;
  }
}

const Values numbers = {{OTF2_TYPE_UINT8, 200},
                        {OTF2_TYPE_UINT16, 40'000},
                        {OTF2_TYPE_UINT32, 4'000'000'000},
                        {OTF2_TYPE_UINT64, undefined64 - 1},
                        {OTF2_TYPE_INT8, bits_of(OTF2_TYPE_INT8, static_cast<std::uint64_t>(-3))},
                        {OTF2_TYPE_INT16, bits_of(OTF2_TYPE_INT16, static_cast<std::uint64_t>(-300))},
                        {OTF2_TYPE_INT32, bits_of(OTF2_TYPE_INT32, static_cast<std::uint64_t>(-1))},
                        {OTF2_TYPE_INT64, static_cast<std::uint64_t>(-70'000)},
                        {OTF2_TYPE_FLOAT, 0x3fc00000},            // 1.5
                        {OTF2_TYPE_DOUBLE, 0xbfb999999999999a}};  // -0.1
const Values references = {{OTF2_TYPE_STRING, 7},                 // of write_archive()
                           {OTF2_TYPE_ATTRIBUTE, 3 * OTF2_TYPE_INT8},
                           {OTF2_TYPE_LOCATION, ForeignArchive::location},
                           {OTF2_TYPE_REGION, ForeignArchive::region},
                           {OTF2_TYPE_GROUP, 6},
                           {OTF2_TYPE_METRIC, 9},
                           {OTF2_TYPE_COMM, 2},
                           {OTF2_TYPE_PARAMETER, 4},
                           {OTF2_TYPE_RMA_WIN, 6},
                           {OTF2_TYPE_SOURCE_CODE_LOCATION, 1},
                           {OTF2_TYPE_CALLING_CONTEXT, 1},
                           {OTF2_TYPE_INTERRUPT_GENERATOR, 1},
                           {OTF2_TYPE_IO_FILE, 8},
                           {OTF2_TYPE_IO_HANDLE, 10},
                           {OTF2_TYPE_LOCATION_GROUP, ForeignArchive::process}};
/// The same in the copy, whose references have no gaps: those to what it has not are left out.
const Values copied_references = {{OTF2_TYPE_STRING, 1},    {OTF2_TYPE_ATTRIBUTE, OTF2_TYPE_INT8 - 1},
                                  {OTF2_TYPE_LOCATION, 0},  {OTF2_TYPE_REGION, 1},
                                  {OTF2_TYPE_GROUP, 1},     {OTF2_TYPE_METRIC, 4},  // its class is 3
                                  {OTF2_TYPE_COMM, 0},      {OTF2_TYPE_PARAMETER, 0},
                                  {OTF2_TYPE_RMA_WIN, 0},   {OTF2_TYPE_IO_FILE, 1},
                                  {OTF2_TYPE_IO_HANDLE, 1}, {OTF2_TYPE_LOCATION_GROUP, 0}};

Values undefined(Values values) {
  for (auto& [type, value] : values) value = bits_of(type, undefined64);
  return values;
}
Values operator+(Values left, const Values& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

void enter(ForeignArchive& archive, std::uint64_t time, const Values& values) {
  OTF2_AttributeList* const list = OTF2_AttributeList_New();
  for (const auto& [type, value] : values) {
    OTF2_AttributeValue bits{};
    bits.uint64 = value;
    CHECK(OTF2_AttributeList_AddAttribute(list, 3 * type, type, bits) == OTF2_SUCCESS);
  }
  OTF2_EvtWriter_Enter(archive.events(), list, time, ForeignArchive::region);
  OTF2_EvtWriter_Leave(archive.events(), nullptr, time + 10, ForeignArchive::region);
  OTF2_AttributeList_Delete(list);
}

void define_metrics(ForeignArchive& archive) {
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const OTF2_StringRef name = archive.string("metric");
  const OTF2_MetricMemberRef members[] = {2, 5};
  for (const OTF2_MetricMemberRef member : members)
    OTF2_GlobalDefWriter_WriteMetricMember(w, member, name, name, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT,
                                           OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, name);
  OTF2_GlobalDefWriter_WriteMetricClass(w, 3, 2, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  OTF2_GlobalDefWriter_WriteMetricClass(w, 5, 1, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
  OTF2_GlobalDefWriter_WriteMetricInstance(w, 9, 5, ForeignArchive::location, OTF2_SCOPE_LOCATION_GROUP,
                                           ForeignArchive::process);
}

/// An event of all values, and one all of whose references are undefined.
void write_archive(const fs::path& directory) {
  ForeignArchive archive{directory};
  enter(archive, 1000, numbers + references);
  enter(archive, 1050, undefined(references));
  OTF2_GlobalDefWriter* const w = archive.definitions();
  const OTF2_StringRef name = archive.string("attribute");
  for (unsigned type = OTF2_TYPE_UINT8; type <= OTF2_TYPE_LOCATION_GROUP; ++type)
    OTF2_GlobalDefWriter_WriteAttribute(w, 3 * type, name, name, static_cast<OTF2_Type>(type));
  archive.group(4, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, {ForeignArchive::location});
  archive.group(6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, {0});
  OTF2_GlobalDefWriter_WriteComm(w, 2, name, 6, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
  OTF2_GlobalDefWriter_WriteParameter(w, 4, name, OTF2_PARAMETER_TYPE_INT64);
  OTF2_GlobalDefWriter_WriteRmaWin(w, 6, name, 2, OTF2_RMA_WIN_FLAG_NONE);
  define_metrics(archive);
  OTF2_GlobalDefWriter_WriteIoParadigm(w, 1, name, name, OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0,
                                       nullptr, nullptr, nullptr);
  for (const OTF2_IoFileRef file : {5u, 8u})
    OTF2_GlobalDefWriter_WriteIoRegularFile(w, file, archive.string("file"), ForeignArchive::machine);
  for (const OTF2_IoHandleRef handle : {7u, 10u})
    OTF2_GlobalDefWriter_WriteIoHandle(w, handle, name, 8, 1, OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                                       OTF2_UNDEFINED_IO_HANDLE);
  archive.finish();
}

OTF2_CallbackCode note_values(OTF2_LocationRef, OTF2_TimeStamp, std::uint64_t, void* found, OTF2_AttributeList* list,
                              OTF2_RegionRef) {
  for (std::uint32_t i = 0; i < OTF2_AttributeList_GetNumberOfElements(list); ++i) {
    OTF2_AttributeRef attribute = 0;
    OTF2_Type type = OTF2_TYPE_NONE;
    OTF2_AttributeValue value{};
    OTF2_AttributeList_GetAttributeByIndex(list, i, &attribute, &type, &value);
    static_cast<Values*>(found)->emplace_back(type, bits_of(type, value.uint64));
  }
  return OTF2_CALLBACK_SUCCESS;
}

/// The values of all attributes as the OTF2 library reads them.
Values read_by_library(const fs::path& directory) {
  Values found;
  OTF2_Reader* const reader = OTF2_Reader_Open((directory / "traces.otf2").c_str());
  REQUIRE(reader != nullptr);
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  OTF2_Reader_SelectLocation(reader, 0);
  OTF2_Reader_OpenEvtFiles(reader);
  OTF2_Reader_OpenDefFiles(reader);
  std::uint64_t count = 0;
  OTF2_DefReader* const local = OTF2_Reader_GetDefReader(reader, 0);
  OTF2_Reader_ReadAllLocalDefinitions(reader, local, &count);
  OTF2_Reader_CloseDefReader(reader, local);
  OTF2_EvtReader* const events = OTF2_Reader_GetEvtReader(reader, 0);
  OTF2_EvtReaderCallbacks* const callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, note_values);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &found);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  CHECK(OTF2_Reader_ReadAllLocalEvents(reader, events, &count) == OTF2_SUCCESS);
  CHECK(count == 4);
  OTF2_Reader_CloseEvtReader(reader, events);
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_Reader_CloseDefFiles(reader);
  OTF2_Reader_Close(reader);
  return found;
}

Values read_by_us(const fs::path& directory) {
  Values found;
  otf2::Trace::open(directory).for_each_event([&](const otf2::EventView& event) {
    for (const auto& one : event.attributes) found.emplace_back(one.type, bits_of(one.type, one.value));
  });
  return found;
}

}  // namespace

TEST_CASE("attributes of every type keep their values in a copy, and references name the same there") {
  const Scratch scratch;
  write_archive(scratch / "0");
  CHECK(read_by_us(scratch / "0") == numbers + references + undefined(references));
  for (const char* const copy : {"1", "2"}) {
    INFO("copy " << copy);
    write_again(scratch / std::string(1, static_cast<char>(*copy - 1)), scratch / copy);
    const Values expected = numbers + copied_references + undefined(copied_references);
    CHECK(read_by_library(scratch / copy) == expected);
    CHECK(read_by_us(scratch / copy) == expected);
  }
}
