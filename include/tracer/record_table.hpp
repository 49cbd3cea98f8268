// SPDX-License-Identifier: BSD-3-Clause
// The meaning of each field of a record, by kind. Readers, dumpers and documentation use this table.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "tracer/record.hpp"

namespace tracer {

struct RecordRow {
  RecordKind kind;
  std::string_view name;  ///< the OMPT callback's name where there is one
  std::string_view sub;   ///< "" where the field is unused and 0
  std::string_view a;
  std::string_view b;
  std::string_view c;
  bool has_more = false;  ///< a `more` record always follows
};

// clang-format off
inline constexpr std::array<RecordRow, static_cast<std::size_t>(RecordKind::count_)> record_table{{
    {RecordKind::invalid,           "invalid",           "", "", "", ""},
    // `more` after target_data_op: time = source address, b = destination address, c = codeptr_ra, a = low 32 bits of target_id
    //   at the end of a copy, with TRACER_TRANSFER_CONTENT: sub = 1, c = hash of the host's memory
    // `more` after target_map:     time = device address, b = target_id, c = codeptr_ra, a = index of the item
    {RecordKind::more,              "more",              "", "a", "b", "c"},
    {RecordKind::thread_begin,      "thread_begin",      "ompt_thread_t", "processor + 1, 0 unknown", "OS thread id", "place + 1, 0 unknown"},
    {RecordKind::thread_end,        "thread_end",        "", "", "", ""},
    {RecordKind::parallel_begin,    "parallel_begin",    "packed parallel flags", "requested parallelism", "parallel id", "codeptr_ra"},
    {RecordKind::parallel_end,      "parallel_end",      "packed parallel flags", "", "parallel id", "codeptr_ra"},
    // ends may have task id 0: the innermost task that the thread has begun (likewise prior, next and sink task id 0)
    {RecordKind::implicit_task,     "implicit_task",     "thread number", "actual parallelism", "parallel id, 0 when the runtime gave none", "task id"},
    {RecordKind::initial_task,      "initial_task",      "index", "actual parallelism", "parallel id", "task id"},
    // the new task's id is make_id(this channel, a extended to 39 bits), with untied_bit when it is untied; endpoint begin_end when it has dependences
    {RecordKind::task_create,       "task_create",       "packed task flags", "low 32 bits of the new task's counter", "encountering task id", "codeptr_ra"},
    {RecordKind::task_schedule,     "task_schedule",     "prior_task_status", "", "prior task id", "next task id, 0 none"},
    {RecordKind::dependences,       "dependences",       "ompt_dependence_type_t", "low 16 bits of the index | of ndeps << 16", "task id", "variable's address or value"},
    {RecordKind::task_dependence,   "task_dependence",   "", "", "source task id", "sink task id"},
    {RecordKind::sync_region,       "sync_region",       "ompt_sync_region_t", "", "task id", "codeptr_ra"},
    {RecordKind::sync_region_wait,  "sync_region_wait",  "ompt_sync_region_t", "", "task id", "codeptr_ra"},
    {RecordKind::reduction,         "reduction",         "ompt_sync_region_t", "", "task id", "codeptr_ra"},
    {RecordKind::work,              "work",              "ompt_work_t", "at the end of a loop: chunks that the thread was given, 0 not known", "count", "codeptr_ra"},
    {RecordKind::dispatch,          "dispatch",          "ompt_dispatch_t", "", "iteration, section address or first iteration", "iterations of a chunk"},
    {RecordKind::masked,            "masked",            "", "", "task id", "codeptr_ra"},
    {RecordKind::mutex_acquire,     "mutex_acquire",     "ompt_mutex_t", "implementation | hint << 8", "wait_id", "codeptr_ra"},
    {RecordKind::mutex_acquired,    "mutex_acquired",    "ompt_mutex_t", "", "wait_id", "codeptr_ra"},
    {RecordKind::mutex_released,    "mutex_released",    "ompt_mutex_t", "", "wait_id", "codeptr_ra"},
    {RecordKind::lock_init,         "lock_init",         "ompt_mutex_t", "implementation | hint << 8", "wait_id", "codeptr_ra"},
    {RecordKind::lock_destroy,      "lock_destroy",      "ompt_mutex_t", "", "wait_id", "codeptr_ra"},
    {RecordKind::nest_lock,         "nest_lock",         "", "", "wait_id", "codeptr_ra"},
    {RecordKind::flush,             "flush",             "", "", "", "codeptr_ra"},
    {RecordKind::cancel,            "cancel",            "", "ompt_cancel_flag_t", "task id", "codeptr_ra"},
    {RecordKind::error,             "error",             "ompt_severity_t", "string id of the message", "length of the message", "codeptr_ra"},
    {RecordKind::control_tool,      "control_tool",      "low 16 bits of modifier", "string id of the argument, 0 none", "command", "codeptr_ra"},
    {RecordKind::target,            "target",            "ompt_target_t", "device number (int32)", "target_id", "codeptr_ra"},
    {RecordKind::target_data_op,    "target_data_op",    "ompt_target_data_op_t", "source device (int16) | destination device (int16) << 16", "host_op_id", "bytes", true},
    {RecordKind::target_submit,     "target_submit",     "", "requested number of teams", "host_op_id", "target_id"},
    {RecordKind::target_map,        "target_map",        "ompt_target_map_flag_t", "number of items", "host address", "bytes", true},
    {RecordKind::device_initialize, "device_initialize", "", "device number (int32)", "", ""},
    {RecordKind::device_finalize,   "device_finalize",   "", "device number (int32)", "", ""},
    {RecordKind::device_load,       "device_load",       "", "device number (int32)", "module id", "bytes"},
    {RecordKind::device_unload,     "device_unload",     "", "device number (int32)", "module id", ""},
    {RecordKind::ring_wait,         "ring_wait",         "", "", "ticks at the end of the wait", "ticks at its begin, 0: the record's time"},
    {RecordKind::lost,              "lost",              "", "", "events lost", "ticks of the first loss"},
    // Front ends record the kinds 38 to 51.
    // sub of range_*: bits 0-3 the language (1 NVTX, 2 ITT, 3 Kokkos, 4 ROCTx, 5 MPI, 6 CUDA, 7 Python), bits 4-7 the type of the payload (0 none,
    // 1 unsigned, 2 signed, 3 double, 4 string id, 5 correlation id of a device's operations); details: a string "#aarrggbb category", either may be missing
    {RecordKind::range_push,        "range_push",        "language | payload type << 4", "string id of the name", "string id of the domain | of the details << 32", "payload"},
    {RecordKind::range_pop,         "range_pop",         "language", "", "string id of the domain", ""},
    // with a payload: `more` follows, b = payload
    {RecordKind::range_start,       "range_start",       "language | payload type << 4", "string id of the name", "string id of the domain | of the details << 32", "id of the range"},
    {RecordKind::range_end,         "range_end",         "language", "", "string id of the domain", "id of the range"},
    {RecordKind::range_mark,        "range_mark",        "language | payload type << 4", "string id of the name", "string id of the domain | of the details << 32", "payload"},
    {RecordKind::range_counter,     "range_counter",     "language | value type << 4", "string id of the name", "string id of the domain | of the unit << 32", "value"},
    // `sub` of MPI records is an MpiFunction. With endpoint begin a record is also the begin of the call, with end its end.
    // `more` after mpi_send, mpi_recv: time = request, 0 blocking; a = receiver or sender (int32), b = tag
    // `more` after mpi_collective:     time = request, 0 blocking; a = root (int32), b = MpiOperation
    // `more` after mpi_rma:            time = operation, b = target, c = bytes received, a = RmaStep | type << 8
    // `more` after mpi_io:             time = operation, c = offset, a = IoStep | mode << 8 | flags << 16
    {RecordKind::mpi_call,             "mpi_call",           "MpiFunction", "1: and of a collective operation", "", "codeptr_ra"},
    {RecordKind::mpi_send,             "mpi_send",           "MpiFunction", "communicator", "bytes", "codeptr_ra", true},
    {RecordKind::mpi_recv,             "mpi_recv",           "MpiFunction", "communicator", "bytes", "", true},
    {RecordKind::mpi_request,          "mpi_request",        "MpiFunction", "MpiRequestStep", "request", "codeptr_ra"},
    {RecordKind::mpi_collective,       "mpi_collective",     "MpiFunction", "communicator", "bytes sent", "bytes received", true},
    {RecordKind::mpi_comm,             "mpi_comm",           "MpiFunction", "communicator: begin or end of it, not of the call", "", ""},
    {RecordKind::mpi_rma,              "mpi_rma",            "MpiFunction", "window", "bytes sent", "codeptr_ra", true},
    {RecordKind::mpi_io,               "mpi_io",             "MpiFunction", "handle or file", "bytes, flags or offset", "codeptr_ra", true},
}};
// clang-format on

namespace detail {
constexpr bool record_table_is_complete() {
  for (std::size_t i = 0; i < record_table.size(); ++i) {
    if (static_cast<std::size_t>(record_table[i].kind) != i || record_table[i].name.empty()) return false;
  }
  return true;
}
}  // namespace detail
static_assert(detail::record_table_is_complete(), "one row per RecordKind, in order");

constexpr std::string_view name_of(RecordKind kind) noexcept {
  const auto i = static_cast<std::size_t>(kind);
  return i < record_table.size() ? record_table[i].name : std::string_view{"unknown"};
}

}  // namespace tracer
