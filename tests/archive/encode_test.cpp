// SPDX-License-Identifier: BSD-3-Clause
// Our event files against those that the OTF2 library writes of the same events: byte by byte.
#include <otf2/otf2.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "formats/otf2/write/sink.hpp"
#include "sample.hpp"
#include "support/scratch.hpp"

using namespace tracer;
using namespace tracer::test;
namespace fs = std::filesystem;

namespace {

constexpr std::size_t chunk_bytes = 256 * 1024;

/// By its bits, the lowest of which are those of the type.
OTF2_AttributeValue value_of(std::uint64_t value) {
  OTF2_AttributeValue out{};
  out.uint64 = value;
  return out;
}

OTF2_ErrorCode complete(OTF2_EvtWriter* w, OTF2_AttributeList* l, const Event& e, bool is_blocking) {
  return is_blocking ? OTF2_EvtWriter_RmaOpCompleteBlocking(w, l, e.time, e.sub, e.b)
                     : OTF2_EvtWriter_RmaOpCompleteNonBlocking(w, l, e.time, e.sub, e.b);
}

OTF2_ErrorCode put_rma(OTF2_EvtWriter* w, OTF2_AttributeList* l, const Event& e, const EventAttribute& payload) {
  const auto level_of = [](std::uint64_t value) { return static_cast<OTF2_RmaSyncLevel>(value); };
  const auto lock = static_cast<OTF2_LockType>(static_cast<std::uint8_t>(e.a));
  switch (e.type) {
    case EventType::mpi_rma_put:
      return OTF2_EvtWriter_RmaPut(w, l, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::mpi_rma_get:
      return OTF2_EvtWriter_RmaGet(w, l, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::mpi_rma_atomic:
      return OTF2_EvtWriter_RmaAtomic(w, l, e.time, e.sub, e.ref, static_cast<OTF2_RmaAtomicType>(payload.number()),
                                      e.a, payload.value, e.b);
    case EventType::mpi_rma_complete_here:
      return complete(w, l, e, e.a != 0);
    case EventType::mpi_rma_complete_there:
      return OTF2_EvtWriter_RmaOpCompleteRemote(w, l, e.time, e.sub, e.b);
    case EventType::mpi_rma_test:
      return OTF2_EvtWriter_RmaOpTest(w, l, e.time, e.sub, e.b);
    case EventType::mpi_window_create:
      return OTF2_EvtWriter_RmaWinCreate(w, l, e.time, e.sub);
    case EventType::mpi_window_destroy:
      return OTF2_EvtWriter_RmaWinDestroy(w, l, e.time, e.sub);
    case EventType::mpi_rma_collective_begin:
      return OTF2_EvtWriter_RmaCollectiveBegin(w, l, e.time);
    case EventType::mpi_rma_collective_end:
      return OTF2_EvtWriter_RmaCollectiveEnd(w, l, e.time, static_cast<OTF2_CollectiveOp>(e.ref),
                                             level_of(payload.value), e.sub, payload.number(), e.a, e.b);
    case EventType::mpi_rma_group_sync:
      return OTF2_EvtWriter_RmaGroupSync(w, l, e.time, level_of(e.a), e.sub, e.ref);
    case EventType::mpi_rma_request_lock:
      return OTF2_EvtWriter_RmaRequestLock(w, l, e.time, e.sub, e.ref, e.b, lock);
    case EventType::mpi_rma_acquire_lock:
      return OTF2_EvtWriter_RmaAcquireLock(w, l, e.time, e.sub, e.ref, e.b, lock);
    case EventType::mpi_rma_release_lock:
      return OTF2_EvtWriter_RmaReleaseLock(w, l, e.time, e.sub, e.ref, e.b);
    case EventType::mpi_rma_sync:
      return OTF2_EvtWriter_RmaSync(w, l, e.time, e.sub, e.ref,
                                    static_cast<OTF2_RmaSyncType>(static_cast<std::uint8_t>(e.a)));
    default:
      return OTF2_ERROR_INVALID_ARGUMENT;
  }
}

OTF2_ErrorCode put_io(OTF2_EvtWriter* w, OTF2_AttributeList* l, const Event& e) {
  const auto mode = static_cast<std::uint8_t>(e.sub), flags = static_cast<std::uint8_t>(e.sub >> 8);
  switch (e.type) {
    case EventType::io_create_handle:
      return OTF2_EvtWriter_IoCreateHandle(w, l, e.time, e.ref, mode, static_cast<std::uint32_t>(e.a),
                                           static_cast<std::uint32_t>(e.a >> 32));
    case EventType::io_destroy_handle:
      return OTF2_EvtWriter_IoDestroyHandle(w, l, e.time, e.ref);
    case EventType::io_delete_file:
      return OTF2_EvtWriter_IoDeleteFile(w, l, e.time, mode, e.ref);
    case EventType::io_seek:
      return OTF2_EvtWriter_IoSeek(w, l, e.time, e.ref, static_cast<std::int64_t>(e.a), mode, e.b);
    case EventType::io_operation_begin:
      return OTF2_EvtWriter_IoOperationBegin(w, l, e.time, e.ref, mode, flags, e.a, e.b);
    case EventType::io_operation_issued:
      return OTF2_EvtWriter_IoOperationIssued(w, l, e.time, e.ref, e.b);
    case EventType::io_operation_test:
      return OTF2_EvtWriter_IoOperationTest(w, l, e.time, e.ref, e.b);
    case EventType::io_operation_complete:
      return OTF2_EvtWriter_IoOperationComplete(w, l, e.time, e.ref, e.a, e.b);
    case EventType::io_operation_cancelled:
      return OTF2_EvtWriter_IoOperationCancelled(w, l, e.time, e.ref, e.b);
    default:
      return OTF2_ERROR_INVALID_ARGUMENT;
  }
}

OTF2_ErrorCode put_mpi(OTF2_EvtWriter* w, OTF2_AttributeList* l, const Event& e, const EventAttribute& payload) {
  const auto peer = static_cast<std::uint32_t>(e.b), tag = static_cast<std::uint32_t>(e.b >> 32);
  switch (e.type) {
    case EventType::mpi_send:
      return OTF2_EvtWriter_MpiSend(w, l, e.time, peer, e.ref, tag, e.a);
    case EventType::mpi_isend:
      return OTF2_EvtWriter_MpiIsend(w, l, e.time, peer, e.ref, tag, e.a, payload.value);
    case EventType::mpi_isend_complete:
      return OTF2_EvtWriter_MpiIsendComplete(w, l, e.time, e.a);
    case EventType::mpi_irecv_request:
      return OTF2_EvtWriter_MpiIrecvRequest(w, l, e.time, e.a);
    case EventType::mpi_recv:
      return OTF2_EvtWriter_MpiRecv(w, l, e.time, peer, e.ref, tag, e.a);
    case EventType::mpi_irecv:
      return OTF2_EvtWriter_MpiIrecv(w, l, e.time, peer, e.ref, tag, e.a, payload.value);
    case EventType::mpi_request_test:
      return OTF2_EvtWriter_MpiRequestTest(w, l, e.time, e.a);
    case EventType::mpi_request_cancelled:
      return OTF2_EvtWriter_MpiRequestCancelled(w, l, e.time, e.a);
    case EventType::mpi_collective_begin:
      return OTF2_EvtWriter_MpiCollectiveBegin(w, l, e.time);
    case EventType::mpi_collective_end:
      return OTF2_EvtWriter_MpiCollectiveEnd(w, l, e.time, static_cast<OTF2_CollectiveOp>(e.sub), e.ref,
                                             payload.number(), e.a, e.b);
    case EventType::mpi_collective_request:
      return OTF2_EvtWriter_NonBlockingCollectiveRequest(w, l, e.time, e.a);
    case EventType::mpi_collective_complete:
      return OTF2_EvtWriter_NonBlockingCollectiveComplete(w, l, e.time, static_cast<OTF2_CollectiveOp>(e.sub), e.ref,
                                                          payload.number(), e.a, e.b, payload.value);
    case EventType::comm_create:
      return OTF2_EvtWriter_CommCreate(w, l, e.time, e.ref);
    case EventType::comm_destroy:
      return OTF2_EvtWriter_CommDestroy(w, l, e.time, e.ref);
    default:
      return e.type < EventType::io_create_handle ? put_rma(w, l, e, payload) : put_io(w, l, e);
  }
}

OTF2_ErrorCode put(OTF2_EvtWriter* w, OTF2_AttributeList* l, const Event& e, const EventAttribute& payload) {
  const auto model = static_cast<OTF2_Paradigm>(e.sub == 0 ? unsigned{OTF2_PARADIGM_OPENMP} : e.sub);
  const auto a = static_cast<std::uint32_t>(e.a), b = static_cast<std::uint32_t>(e.b);
  switch (e.type) {
    case EventType::enter:
      return OTF2_EvtWriter_Enter(w, l, e.time, e.ref);
    case EventType::leave:
      return OTF2_EvtWriter_Leave(w, l, e.time, e.ref);
    case EventType::task_create:
      return OTF2_EvtWriter_ThreadTaskCreate(w, l, e.time, e.ref, a, b);
    case EventType::task_switch:
      return OTF2_EvtWriter_ThreadTaskSwitch(w, l, e.time, e.ref, a, b);
    case EventType::task_complete:
      return OTF2_EvtWriter_ThreadTaskComplete(w, l, e.time, e.ref, a, b);
    case EventType::acquire_lock:
      return OTF2_EvtWriter_ThreadAcquireLock(w, l, e.time, model, a, b);
    case EventType::release_lock:
      return OTF2_EvtWriter_ThreadReleaseLock(w, l, e.time, model, a, b);
    case EventType::thread_fork:
      return OTF2_EvtWriter_ThreadFork(w, l, e.time, model, a);
    case EventType::thread_join:
      return OTF2_EvtWriter_ThreadJoin(w, l, e.time, model);
    case EventType::team_begin:
      return OTF2_EvtWriter_ThreadTeamBegin(w, l, e.time, e.ref);
    case EventType::team_end:
      return OTF2_EvtWriter_ThreadTeamEnd(w, l, e.time, e.ref);
    case EventType::parameter_int:
      return OTF2_EvtWriter_ParameterInt(w, l, e.time, e.ref, static_cast<std::int64_t>(e.a));
    case EventType::parameter_uint:
      return OTF2_EvtWriter_ParameterUnsignedInt(w, l, e.time, e.ref, e.a);
    case EventType::parameter_string:
      return OTF2_EvtWriter_ParameterString(w, l, e.time, e.ref, a);
    case EventType::rma_get:
      return OTF2_EvtWriter_RmaGet(w, l, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::rma_put:
      return OTF2_EvtWriter_RmaPut(w, l, e.time, e.sub, e.ref, e.a, e.b);
    case EventType::rma_op_complete_blocking:
      return complete(w, l, e, e.a == 0);
    case EventType::buffer_flush:
      return OTF2_EvtWriter_BufferFlush(w, l, e.time, e.a);
    case EventType::program_begin:
      return OTF2_EvtWriter_ProgramBegin(w, l, e.time, a, 0, nullptr);
    case EventType::measurement_on_off:
      return OTF2_EvtWriter_MeasurementOnOff(w, l, e.time, e.a != 0 ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
    case EventType::program_end:
      return OTF2_EvtWriter_ProgramEnd(w, l, e.time, e.b == 1 ? static_cast<std::int64_t>(e.a) : OTF2_UNDEFINED_INT64);
    case EventType::metric_uint: {
      const OTF2_Type type = static_cast<OTF2_Type>(value_type(e));
      OTF2_MetricValue value{};
      value.unsigned_int = e.a;
      return OTF2_EvtWriter_Metric(w, l, e.time, 2 * e.ref + 1, 1, &type, &value);
    }
    default:
      return put_mpi(w, l, e, payload);
  }
}

OTF2_FlushType flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
  return OTF2_FLUSH;
}

/// The event file as the library writes it.
fs::path by_library(const fs::path& directory, const LocationEvents& trace, const std::vector<ValueType>& types) {
  static const OTF2_FlushCallbacks callbacks{flush, nullptr};
  OTF2_Archive* archive = OTF2_Archive_Open(directory.c_str(), "traces", OTF2_FILEMODE_WRITE, chunk_bytes,
                                            OTF2_UNDEFINED_UINT64, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  REQUIRE(archive != nullptr);
  REQUIRE(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, nullptr) == OTF2_SUCCESS);
  REQUIRE(OTF2_Archive_SetSerialCollectiveCallbacks(archive) == OTF2_SUCCESS);
  REQUIRE(OTF2_Archive_OpenEvtFiles(archive) == OTF2_SUCCESS);
  OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, 0);
  OTF2_AttributeList* list = OTF2_AttributeList_New();
  std::size_t used = 0;
  for (const Event& event : trace.events) {
    EventAttribute payload{};
    for (std::size_t n = 0; n < event.attributes; ++n, ++used) {
      const auto& [attribute, value] = trace.attributes[used];
      if (trace.attributes[used].is_payload()) {
        payload = trace.attributes[used];
        continue;
      }
      const ValueType type = attribute < types.size() ? types[attribute] : ValueType::uint64;
      OTF2_AttributeList_AddAttribute(list, attribute, static_cast<OTF2_Type>(type), value_of(value));
    }
    REQUIRE(put(writer, list, event, payload) == OTF2_SUCCESS);
  }
  OTF2_AttributeList_Delete(list);
  OTF2_Archive_CloseEvtWriter(archive, writer);
  OTF2_Archive_SetDefChunkSize(archive, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT);
  OTF2_Archive_OpenDefFiles(archive);
  OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, 0));
  OTF2_Archive_Close(archive);
  return directory / "traces";
}

fs::path by_us(const fs::path& directory, const LocationEvents& trace, const std::vector<ValueType>& types) {
  const auto sink = make_otf2_sink(directory, {Otf2Level::v3_0, types, {}, chunk_bytes});
  const auto writer = sink->open(0);
  writer->write(trace.events, trace.attributes);
  writer->close();
  return directory / "traces";
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void compare(const LocationEvents& trace, const std::vector<ValueType>& types) {
  const Scratch scratch;
  const fs::path theirs = by_library(scratch / "library", trace, types), ours = by_us(scratch / "ours", trace, types);
  const std::string a = bytes_of(theirs / "0.evt"), b = bytes_of(ours / "0.evt");
  CHECK(a.size() == b.size());
  CHECK(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())), b.begin())
            .first == a.end());
  CHECK(bytes_of(theirs / "0.def") == bytes_of(ours / "0.def"));
}

/// Numbers of every length, and those with a form of their own.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  std::uint64_t next() {
    const std::uint64_t r = random_();
    switch (r % 8) {
      case 0:
        return 0;
      case 1:
        return ~std::uint64_t{0};
      case 2:
        return 0xffffffffu;
      default:
        return random_() >> (random_() % 64);
    }
  }
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

 private:
  std::mt19937_64 random_;
};

LocationEvents random_events(unsigned seed, std::size_t count) {
  Numbers numbers(seed);
  LocationEvents out;
  Nanoseconds time = seed % 2;  // from 0 now and then, where every event of time 0 has its time before it
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 3 && numbers.below(3) != 0) time += numbers.below(1000);
    Event e{};
    e.time = time;
    const auto kinds = static_cast<std::uint64_t>(EventType::io_operation_cancelled) + 1;
    e.type = numbers.below(2) == 0 ? EventType::enter : static_cast<EventType>(numbers.below(kinds));
    e.sub = static_cast<std::uint16_t>(numbers.next());
    e.ref = e.type == EventType::metric_uint ? static_cast<std::uint32_t>(numbers.below(100))
                                             : static_cast<std::uint32_t>(numbers.next());
    constexpr ValueType of_metrics[] = {ValueType{}, ValueType::uint64, ValueType::int64, ValueType::float64};
    if (e.type == EventType::metric_uint) e.sub = static_cast<std::uint16_t>(of_metrics[numbers.below(4)]);
    e.a = numbers.next();
    e.b = numbers.below(4) == 0 ? 1 : numbers.next();
    if (numbers.below(4) == 0) e.attributes = static_cast<std::uint8_t>(numbers.below(numbers.below(8) == 0 ? 256 : 4));
    if (has_payload(e.type)) {
      if (e.attributes < 255) ++e.attributes;
      out.attributes.push_back(EventAttribute::payload(
          static_cast<std::uint32_t>(numbers.below(8) == 0 ? ~0u : numbers.below(1u << 30)), numbers.next()));
    }
    for (std::size_t n = has_payload(e.type) ? 1 : 0; n < e.attributes; ++n)
      out.attributes.push_back({static_cast<std::uint32_t>(n), numbers.next()});
    out.events.push_back(e);
  }
  return out;
}

/// Each that OTF2 has.
std::vector<ValueType> all_types() {
  std::vector<ValueType> all;
  for (unsigned type = OTF2_TYPE_UINT8; type <= OTF2_TYPE_LOCATION_GROUP; ++type)
    all.push_back(static_cast<ValueType>(type));
  return all;
}
const std::vector<ValueType> types = all_types();

}  // namespace

TEST_CASE("an event file is byte by byte what the OTF2 library writes of the same events") {
  for (unsigned seed = 0; seed < 6; ++seed) {
    INFO("seed " << seed);
    compare(random_events(seed, 30'000), types);
  }
}

TEST_CASE("an event file without events, and one of a single chunk, are the library's too") {
  compare({}, types);
  compare(random_events(7, 5), types);
}

TEST_CASE("chunks that end at any byte of an event are the library's too") {
  for (unsigned shift = 0; shift < 24; ++shift) {
    INFO("shift " << shift);
    LocationEvents trace;
    Nanoseconds time = 1;
    for (unsigned n = 0; n < shift; ++n) trace.events.push_back({time, EventType::leave, 0, 0, n % 2, 0, 0});
    for (unsigned n = 0; n < 50'000; ++n) trace.events.push_back({++time, EventType::enter, 0, 0, 1, 0, 0});
    compare(trace, types);
  }
}
