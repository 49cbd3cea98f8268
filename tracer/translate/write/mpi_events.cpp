// SPDX-License-Identifier: BSD-3-Clause
// See mpi_events.hpp.
#include "tracer/translate/write/mpi_events.hpp"

#include <algorithm>

#include "tracer/mpi_functions.hpp"

namespace tracer::translate {
namespace {

/// Of a collective operation on a window: a fence completes accesses, too.
std::uint8_t level_of(std::uint32_t operation) {
  return operation == static_cast<std::uint32_t>(MpiOperation::barrier) ? rma_level::both : rma_level::processes;
}

}  // namespace

bool MpiEvents::has_failed(const Record& begin) const {
  const std::vector<Ticks>& failed = context_.scan().failed_collectives;
  return std::binary_search(failed.begin(), failed.end(), begin.time);
}

void MpiEvents::call(const Record& r, Nanoseconds t) {
  if (r.endpoint == Endpoint::end) return regions_.leave(t, Construct::mpi);
  regions_.enter_at(t, regions_.site_of(r));
  if (r.a == begins_collective && !is_left_out() && !has_failed(r))
    context_.out.add(t, EventType::mpi_collective_begin, 0);
}

void MpiEvents::comm(const Record& r, Nanoseconds t) {
  if (const CommRef comm = context_.comm_of(r); comm != undefined_ref && !is_left_out())
    context_.out.add(t, r.endpoint == Endpoint::begin ? EventType::comm_create : EventType::comm_destroy, comm);
}

void MpiEvents::request(const Record& r, Nanoseconds t) {
  if (r.endpoint == Endpoint::begin) regions_.enter_at(t, regions_.site_of(r));
  constexpr EventType events[] = {EventType::mpi_isend_complete, EventType::mpi_irecv_request,
                                  EventType::mpi_request_test, EventType::mpi_request_cancelled,
                                  EventType::mpi_collective_request};
  static_assert(static_cast<std::size_t>(MpiRequestStep::collective_begins) == 4);
  if (is_left_out() || context_.tables.excluded.have_request(r.b)) [[unlikely]] {
    context_.note(Repair::mpi_left_out);
  } else if (r.a < std::size(events)) {
    context_.out.add(t, events[r.a], 0, r.b);
  } else {
    context_.note(Repair::mpi_event_unknown);
  }
  if (r.endpoint == Endpoint::end) regions_.leave(t, Construct::mpi);
}

/// Its fields by EventType, in the order of RmaStep.
void MpiEvents::one_sided(const Record& r, const Record& more, Nanoseconds t) {
  constexpr EventType events[] = {EventType::mpi_rma_put,
                                  EventType::mpi_rma_get,
                                  EventType::mpi_rma_atomic,
                                  EventType::mpi_rma_complete_here,
                                  EventType::mpi_rma_complete_there,
                                  EventType::mpi_rma_test,
                                  EventType::mpi_window_create,
                                  EventType::mpi_window_destroy,
                                  EventType::mpi_rma_collective_begin,
                                  EventType::mpi_rma_collective_end,
                                  EventType::mpi_rma_group_sync,
                                  EventType::mpi_rma_request_lock,
                                  EventType::mpi_rma_acquire_lock,
                                  EventType::mpi_rma_release_lock,
                                  EventType::mpi_rma_sync};
  static_assert(std::size(events) == static_cast<std::size_t>(RmaStep::memory_synchronised) + 1);
  const Tables& tables = context_.tables;
  const std::uint32_t step = more.a & 0xff, type = more.a >> 8;
  const bool begins = step == static_cast<std::uint32_t>(RmaStep::collective_begin);
  if (begins && has_failed(r)) return;
  // A begin names no window, and one whose call never returns is not known.
  const std::uint32_t window = begins ? 0 : r.a < tables.mpi_windows.size() ? tables.mpi_windows[r.a] : undefined_ref;
  if (step >= std::size(events) || window > 0xffff) return context_.note(Repair::mpi_event_unknown);
  const EventType event = events[step];
  const auto sub = static_cast<std::uint16_t>(window);
  auto ref = static_cast<std::uint32_t>(more.b);
  std::uint64_t a = r.b;
  if (event == EventType::mpi_rma_get) a = more.c;
  if (event == EventType::mpi_rma_collective_end) {
    ref = type;
    context_.out.payload(mpi_root_none, level_of(type));
  }
  if (event == EventType::mpi_rma_request_lock || event == EventType::mpi_rma_acquire_lock) a = type;
  if (event == EventType::mpi_rma_group_sync) {
    a = type != 0 ? type : rma_level::processes;
    ref = ref < tables.mpi_groups.size() ? tables.mpi_groups[ref] : undefined_ref;
    if (ref == undefined_ref) return context_.note(Repair::mpi_event_unknown);
  }
  if (event == EventType::mpi_rma_atomic) context_.out.payload(type, more.c);
  context_.out.add(t, event, ref, a, more.time, sub);
}

/// Its fields by EventType, in the order of IoStep.
void MpiEvents::io(const Record& r, const Record& more, Nanoseconds t) {
  constexpr EventType events[] = {
      EventType::io_create_handle,  EventType::io_destroy_handle,     EventType::io_delete_file,
      EventType::io_seek,           EventType::io_operation_begin,    EventType::io_operation_issued,
      EventType::io_operation_test, EventType::io_operation_complete, EventType::io_operation_cancelled};
  static_assert(std::size(events) == static_cast<std::size_t>(IoStep::operation_cancelled) + 1);
  const std::uint32_t step = more.a & 0xff, mode = more.a >> 8 & 0xff, flags = more.a >> 16;
  const bool is_deleted = step == static_cast<std::uint32_t>(IoStep::file_deleted);
  const std::vector<std::uint32_t>& known = is_deleted ? context_.tables.io_files : context_.tables.io_handles;
  const std::uint32_t ref = r.a < known.size() ? known[r.a] : undefined_ref;
  if (step >= std::size(events) || ref == undefined_ref) return context_.note(Repair::mpi_event_unknown);
  std::uint64_t a = r.b, b = more.time;
  auto sub = static_cast<std::uint16_t>(mode);
  if (events[step] == EventType::io_create_handle) a |= std::uint64_t{flags} << 32;
  if (events[step] == EventType::io_operation_begin) sub |= static_cast<std::uint16_t>(flags << 8);
  if (events[step] == EventType::io_seek) b = more.c;
  context_.out.add(t, events[step], ref, a, b, sub);
}

void MpiEvents::pair(const Record& r, const Record& more, Nanoseconds t) {
  if (r.endpoint == Endpoint::begin) regions_.enter_at(t, regions_.site_of(r));
  if (is_left_out()) [[unlikely]] {
    context_.note(Repair::mpi_left_out);
    if (r.endpoint == Endpoint::end) regions_.leave(t, Construct::mpi);
    return;
  }
  if (r.kind == RecordKind::mpi_rma || r.kind == RecordKind::mpi_io) {
    r.kind == RecordKind::mpi_rma ? one_sided(r, more, t) : io(r, more, t);
    if (r.endpoint == Endpoint::end) regions_.leave(t, Construct::mpi);
    return;
  }
  EventBuffer& out = context_.out;
  const bool is_doubtful = context_.tables.excluded.have_request(more.time);
  // What is sent is so all the same; a collective operation without its begin ends none.
  const std::uint64_t request = is_doubtful ? 0 : more.time;
  const CommRef comm = context_.comm_of(r);
  if (is_doubtful && r.kind == RecordKind::mpi_collective) [[unlikely]] {
    context_.note(Repair::mpi_left_out);
  } else if (comm != undefined_ref && r.kind == RecordKind::mpi_collective) {
    out.payload(more.a, request);
    out.add(t, request == 0 ? EventType::mpi_collective_end : EventType::mpi_collective_complete, comm, r.b, r.c,
            static_cast<std::uint16_t>(more.b));
  } else if (comm != undefined_ref) {
    const bool sends = r.kind == RecordKind::mpi_send;
    const EventType blocking = sends ? EventType::mpi_send : EventType::mpi_recv;
    const EventType requested = sends ? EventType::mpi_isend : EventType::mpi_irecv;
    if (request != 0) out.payload(0, request);
    out.add(t, request == 0 ? blocking : requested, comm, r.b, more.a | more.b << 32);
  }
  if (r.endpoint == Endpoint::end) regions_.leave(t, Construct::mpi);
}

}  // namespace tracer::translate
