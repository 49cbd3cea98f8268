// SPDX-License-Identifier: BSD-3-Clause
// The fields of every event record of OTF2's trace format, up to OTF2 3.2.
#include "formats/otf2/common/event_view.hpp"

namespace tracer::otf2 {
namespace {

using enum Encoding;
using R = ReferenceKind;

constexpr EventRow record(std::string_view name, std::initializer_list<EventField> fields, bool has_length = true) {
  EventRow row{name, has_length, static_cast<std::uint8_t>(fields.size()), {}};
  std::size_t i = 0;
  for (const auto& field : fields) row.field[i++] = field;
  return row;
}
/// One compressed number and no length before it.
constexpr EventRow bare(std::string_view name, EventField field) {
  return record(name, {field}, false);
}

constexpr EventField comm{"communicator", u32, R::comm};
constexpr EventField team{"thread team", u32, R::comm};
constexpr EventField contingent{"thread contingent", u32, R::comm};
constexpr EventField window{"window", u32, R::rma_window};
constexpr EventField handle{"handle", u32, R::io_handle};
constexpr EventField model{"model", u8, R::none};
constexpr EventField matching{"matching id", u64, R::none};
constexpr EventField request{"request id", u64, R::none};
constexpr EventField message{"message id", u64, R::none};
constexpr EventField lock{"lock id", u32, R::none};
constexpr EventField order{"acquisition order", u32, R::none};
constexpr EventField creator{"creating thread", u32, R::none};
constexpr EventField generation{"generation number", u32, R::none};
constexpr EventField remote{"remote", u32, R::none};
constexpr EventField old_task{"task id", u64, R::none};

constexpr std::array<EventRow, static_cast<std::size_t>(EventKind::count_)> table{{
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    {},
    record("BufferFlush", {{"stop time", time}}),
    record("MeasurementOnOff", {{"mode", u8}}),
    bare("Enter", {"region", u32, R::region}),
    bare("Leave", {"region", u32, R::region}),
    record("MpiSend", {{"receiver", u32}, comm, {"tag", u32}, {"length", u64}}),
    record("MpiIsend", {{"receiver", u32}, comm, {"tag", u32}, {"length", u64}, request}),
    bare("MpiIsendComplete", request),
    bare("MpiIrecvRequest", request),
    record("MpiRecv", {{"sender", u32}, comm, {"tag", u32}, {"length", u64}}),
    record("MpiIrecv", {{"sender", u32}, comm, {"tag", u32}, {"length", u64}, request}),
    bare("MpiRequestTest", request),
    bare("MpiRequestCancelled", request),
    record("MpiCollectiveBegin", {}),
    record("MpiCollectiveEnd", {{"operation", u8}, comm, {"root", u32}, {"sent", u64}, {"received", u64}}),
    bare("OmpFork", {"requested threads", u32}),
    record("OmpJoin", {}),
    record("OmpAcquireLock", {lock, order}),
    record("OmpReleaseLock", {lock, order}),
    bare("OmpTaskCreate", old_task),
    bare("OmpTaskSwitch", old_task),
    bare("OmpTaskComplete", old_task),
    record("Metric", {{"metric", u32, R::metric}, {"number of values", u8}}),
    record("ParameterString", {{"parameter", u32, R::parameter}, {"value", u32, R::string}}),
    record("ParameterInt", {{"parameter", u32, R::parameter}, {"value", i64}}),
    record("ParameterUnsignedInt", {{"parameter", u32, R::parameter}, {"value", u64}}),
    record("RmaWinCreate", {window}),
    record("RmaWinDestroy", {window}),
    record("RmaCollectiveBegin", {}),
    record("RmaCollectiveEnd",
           {{"operation", u8}, {"sync level", u32}, window, {"root", u32}, {"sent", u64}, {"received", u64}}),
    record("RmaGroupSync", {{"sync level", u32}, window, {"group", u32, R::group}}),
    record("RmaRequestLock", {window, remote, {"lock id", u64}, {"lock type", u8}}),
    record("RmaAcquireLock", {window, remote, {"lock id", u64}, {"lock type", u8}}),
    record("RmaTryLock", {window, remote, {"lock id", u64}, {"lock type", u8}}),
    record("RmaReleaseLock", {window, remote, {"lock id", u64}}),
    record("RmaSync", {window, remote, {"sync type", u8}}),
    record("RmaWaitChange", {window}),
    record("RmaPut", {window, remote, {"bytes", u64}, matching}),
    record("RmaGet", {window, remote, {"bytes", u64}, matching}),
    record("RmaAtomic", {window, remote, {"type", u8}, {"sent", u64}, {"received", u64}, matching}),
    record("RmaOpCompleteBlocking", {window, matching}),
    record("RmaOpCompleteNonBlocking", {window, matching}),
    record("RmaOpTest", {window, matching}),
    record("RmaOpCompleteRemote", {window, matching}),
    record("ThreadFork", {model, {"requested threads", u32}}),
    record("ThreadJoin", {model}),
    record("ThreadTeamBegin", {team}),
    record("ThreadTeamEnd", {team}),
    record("ThreadAcquireLock", {model, lock, order}),
    record("ThreadReleaseLock", {model, lock, order}),
    record("ThreadTaskCreate", {team, creator, generation}),
    record("ThreadTaskSwitch", {team, creator, generation}),
    record("ThreadTaskComplete", {team, creator, generation}),
    record("ThreadCreate", {contingent, {"sequence count", u64}}),
    record("ThreadBegin", {contingent, {"sequence count", u64}}),
    record("ThreadWait", {contingent, {"sequence count", u64}}),
    record("ThreadEnd", {contingent, {"sequence count", u64}}),
    record("CallingContextEnter", {{"calling context", u32, R::calling_context}, {"unwind distance", u32}}),
    record("CallingContextLeave", {{"calling context", u32, R::calling_context}}),
    record("CallingContextSample", {{"calling context", u32, R::calling_context},
                                    {"unwind distance", u32},
                                    {"interrupt generator", u32, R::interrupt_generator}}),
    record("IoCreateHandle", {handle, {"mode", u8}, {"creation flags", u32}, {"status flags", u32}}),
    record("IoDestroyHandle", {handle}),
    record("IoDuplicateHandle",
           {{"old handle", u32, R::io_handle}, {"new handle", u32, R::io_handle}, {"status flags", u32}}),
    record("IoSeek", {handle, {"offset requested", i64}, {"whence", u8}, {"offset", u64}}),
    record("IoChangeStatusFlags", {handle, {"status flags", u32}}),
    record("IoDeleteFile", {{"I/O paradigm", u8, R::io_paradigm}, {"file", u32, R::io_file}}),
    record("IoOperationBegin", {handle, {"mode", u8}, {"flags", u32}, {"bytes", u64}, matching}),
    record("IoOperationTest", {handle, matching}),
    record("IoOperationIssued", {handle, matching}),
    record("IoOperationComplete", {handle, {"bytes", u64}, matching}),
    record("IoOperationCancelled", {handle, matching}),
    record("IoAcquireLock", {handle, {"lock type", u8}}),
    record("IoReleaseLock", {handle, {"lock type", u8}}),
    record("IoTryLock", {handle, {"lock type", u8}}),
    record("ProgramBegin", {{"program", u32, R::string}, {"number of arguments", u32}}),
    record("ProgramEnd", {{"exit status", i64}}),
    record("NonBlockingCollectiveRequest", {request}),
    record("NonBlockingCollectiveComplete",
           {{"operation", u8}, comm, {"root", u32}, {"sent", u64}, {"received", u64}, request}),
    record("CommCreate", {comm}),
    record("CommDestroy", {comm}),
    record("MpiProbe", {{"sender", u32}, comm, {"tag", u32}, message}),
    record("MpiMrecv", {message, {"length", u64}}),
    record("MpiImrecvRequest", {message, request}),
    record("MpiImrecv", {request, {"length", u64}}),
}};
static_assert(table[static_cast<std::size_t>(EventKind::comm_destroy)].name == "CommDestroy");
static_assert(table[static_cast<std::size_t>(EventKind::thread_task_switch)].name == "ThreadTaskSwitch");

constexpr std::array<std::string_view, static_cast<std::size_t>(ReferenceKind::count_)> kind_names{
    "nothing",
    "string",
    "attribute",
    "location",
    "region",
    "group",
    "metric",
    "communicator",
    "parameter",
    "RMA window",
    "source code location",
    "calling context",
    "interrupt generator",
    "I/O file",
    "I/O handle",
    "location group",
    "system tree node",
    "call path",
    "call site",
    "metric member",
    "paradigm",
    "I/O paradigm",
    "cartesian dimension",
    "cartesian topology"};

}  // namespace

const EventRow& row_of(EventKind kind) noexcept {
  const auto i = static_cast<std::size_t>(kind);
  return i < table.size() ? table[i] : table[0];
}

std::string_view name_of(ReferenceKind kind) noexcept {
  const auto i = static_cast<std::size_t>(kind);
  return i < kind_names.size() ? kind_names[i] : kind_names[0];
}

}  // namespace tracer::otf2
