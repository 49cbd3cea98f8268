// SPDX-License-Identifier: BSD-3-Clause
// See event_translation.hpp.
#include "formats/otf2/read/event_translation.hpp"

namespace tracer::otf2 {
namespace {

bool fill(Event& event, EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
  event.type = type;
  event.ref = ref;
  event.a = a;
  event.b = b;
  return true;
}

/// Event::sub of a fork, a join or a lock.
std::uint16_t sub_of_model(std::uint64_t paradigm) {
  return paradigm == values::paradigm_openmp ? std::uint16_t{0} : static_cast<std::uint16_t>(paradigm);
}

}  // namespace

bool EventTranslation::translate(const EventView& view, Event& event, std::vector<EventAttribute>& attributes) const {
  event = {
      .time = nanoseconds(view.time), .type = EventType::enter, .attributes = 0, .sub = 0, .ref = 0, .a = 0, .b = 0};
  attributes.clear();
  if (!translate_other(view, event) && !translate_mpi(view, event, attributes) &&
      !translate_one_sided(view, event, attributes) && !translate_io(view, event))
    return false;
  for (const auto& attribute : view.attributes) {
    const std::uint32_t which = index_.attributes[attribute.attribute];
    const auto value = dense(attribute);
    if (value && which != undefined_ref) attributes.push_back({which, *value});
  }
  if (attributes.size() > UINT8_MAX) attributes.resize(UINT8_MAX);
  event.attributes = static_cast<std::uint8_t>(attributes.size());
  return true;
}

std::size_t EventTranslation::translate(const EventView& view, std::vector<Event>& events,
                                        std::vector<EventAttribute>& attributes) const {
  if (events.empty()) events.resize(1);
  if (!translate(view, events.front(), attributes)) return 0;
  if (view.kind != EventKind::metric) return 1;
  std::size_t count = 1;
  for (; count < view.values.size(); ++count) {
    const std::uint32_t metric = index_.metric(view.field[0], count);
    if (metric == undefined_ref) break;
    if (count == events.size()) events.emplace_back();
    Event& event = events[count];
    event = events.front();
    event.attributes = 0;
    event.sub = view.types[count];
    fill(event, EventType::metric_uint, metric, view.values[count]);
  }
  return count;
}

/// References become places in the definitions, other values stay. None: Definitions has no such kind.
std::optional<std::uint64_t> EventTranslation::dense(const AttributeView& attribute) const {
  const std::uint64_t value = attribute.value;
  switch (static_cast<ValueType>(attribute.type)) {
    case ValueType::string:
      return index_.strings[value];
    case ValueType::attribute:
      return index_.attributes[value];
    case ValueType::location:
      return index_.locations[value] == undefined_ref ? undefined_location : index_.locations[value];
    case ValueType::region:
      return index_.regions[value];
    case ValueType::group:
      return index_.groups[value];
    case ValueType::metric:
      return index_.metric(value, 0);
    case ValueType::comm:
      return index_.comms[value];
    case ValueType::parameter:
      return index_.parameters[value];
    case ValueType::rma_window:
      return index_.windows[value];
    case ValueType::io_file:
      return index_.io_files[value];
    case ValueType::io_handle:
      return index_.io_handles[value];
    case ValueType::location_group:
      return index_.location_groups[value];
    default:
      if (is_without_definitions(static_cast<ValueType>(attribute.type))) return std::nullopt;
      return value;
  }
}

/// Of communication; what an Event has no room for goes before the attributes.
bool EventTranslation::translate_mpi(const EventView& view, Event& event,
                                     std::vector<EventAttribute>& attributes) const {
  const auto& field = view.field;
  const auto message = [&](EventType type) {
    if (has_payload(type)) attributes.push_back(EventAttribute::payload(0, field[4]));
    return fill(event, type, index_.comms[field[1]], field[3], (field[0] & 0xffffffffu) | field[2] << 32);
  };
  const auto collective = [&](EventType type, std::uint64_t request) {
    attributes.push_back(EventAttribute::payload(static_cast<std::uint32_t>(field[2]), request));
    event.sub = static_cast<std::uint16_t>(field[0]);
    return fill(event, type, index_.comms[field[1]], field[3], field[4]);
  };
  switch (view.kind) {
    case EventKind::mpi_send:
      return message(EventType::mpi_send);
    case EventKind::mpi_isend:
      return message(EventType::mpi_isend);
    case EventKind::mpi_recv:
      return message(EventType::mpi_recv);
    case EventKind::mpi_irecv:
      return message(EventType::mpi_irecv);
    case EventKind::mpi_isend_complete:
      return fill(event, EventType::mpi_isend_complete, 0, field[0]);
    case EventKind::mpi_irecv_request:
      return fill(event, EventType::mpi_irecv_request, 0, field[0]);
    case EventKind::mpi_request_test:
      return fill(event, EventType::mpi_request_test, 0, field[0]);
    case EventKind::mpi_request_cancelled:
      return fill(event, EventType::mpi_request_cancelled, 0, field[0]);
    case EventKind::mpi_collective_begin:
      return fill(event, EventType::mpi_collective_begin);
    case EventKind::mpi_collective_end:
      return collective(EventType::mpi_collective_end, 0);
    case EventKind::non_blocking_collective_request:
      return fill(event, EventType::mpi_collective_request, 0, field[0]);
    case EventKind::non_blocking_collective_complete:
      return collective(EventType::mpi_collective_complete, field[5]);
    case EventKind::comm_create:
      return fill(event, EventType::comm_create, index_.comms[field[0]]);
    case EventKind::comm_destroy:
      return fill(event, EventType::comm_destroy, index_.comms[field[0]]);
    default:
      return false;
  }
}

/// A window of MPI's, not of a device.
bool EventTranslation::is_of_mpi(std::uint64_t window) const {
  const std::uint32_t index = index_.windows[window];
  if (index >= definitions_.windows.size()) return false;
  const CommRef comm = definitions_.windows[index].comm;
  const std::uint32_t group = comm < definitions_.comms.size() ? definitions_.comms[comm].group : undefined_ref;
  return group < definitions_.groups.size() && definitions_.groups[group].paradigm == Paradigm::mpi;
}

/// One-sided communication of MPI.
bool EventTranslation::translate_one_sided(const EventView& view, Event& event,
                                           std::vector<EventAttribute>& attributes) const {
  const auto& field = view.field;
  const auto at = [&](std::uint64_t window, EventType type, std::uint64_t ref = 0, std::uint64_t a = 0,
                      std::uint64_t b = 0) {
    event.sub = static_cast<std::uint16_t>(index_.windows[window]);
    return fill(event, type, static_cast<std::uint32_t>(ref), a, b);
  };
  switch (view.kind) {
    case EventKind::rma_put:
      return at(field[0], EventType::mpi_rma_put, field[1], field[2], field[3]);
    case EventKind::rma_get:
      return at(field[0], EventType::mpi_rma_get, field[1], field[2], field[3]);
    case EventKind::rma_atomic:
      attributes.push_back(EventAttribute::payload(static_cast<std::uint32_t>(field[2]), field[4]));
      return at(field[0], EventType::mpi_rma_atomic, field[1], field[3], field[5]);
    case EventKind::rma_op_complete_blocking:
    case EventKind::rma_op_complete_non_blocking:
      return at(field[0], EventType::mpi_rma_complete_here, 0, view.kind == EventKind::rma_op_complete_blocking ? 1 : 0,
                field[1]);
    case EventKind::rma_op_complete_remote:
      return at(field[0], EventType::mpi_rma_complete_there, 0, 0, field[1]);
    case EventKind::rma_op_test:
      return at(field[0], EventType::mpi_rma_test, 0, 0, field[1]);
    case EventKind::rma_win_create:
      return at(field[0], EventType::mpi_window_create);
    case EventKind::rma_win_destroy:
      return at(field[0], EventType::mpi_window_destroy);
    case EventKind::rma_collective_begin:
      return fill(event, EventType::mpi_rma_collective_begin);
    case EventKind::rma_collective_end:
      attributes.push_back(EventAttribute::payload(static_cast<std::uint32_t>(field[3]), field[1]));
      return at(field[2], EventType::mpi_rma_collective_end, field[0], field[4], field[5]);
    case EventKind::rma_group_sync:
      return at(field[1], EventType::mpi_rma_group_sync, index_.groups[field[2]], field[0]);
    case EventKind::rma_request_lock:
      return at(field[0], EventType::mpi_rma_request_lock, field[1], field[3], field[2]);
    case EventKind::rma_acquire_lock:
      return at(field[0], EventType::mpi_rma_acquire_lock, field[1], field[3], field[2]);
    case EventKind::rma_release_lock:
      return at(field[0], EventType::mpi_rma_release_lock, field[1], 0, field[2]);
    case EventKind::rma_sync:
      return at(field[0], EventType::mpi_rma_sync, field[1], field[2]);
    default:
      return false;
  }
}

/// Input and output, by MPI or another paradigm.
bool EventTranslation::translate_io(const EventView& view, Event& event) const {
  constexpr std::uint16_t read_write = 2;  // OTF2_IO_ACCESS_MODE_READ_WRITE
  const auto& field = view.field;
  const auto at = [&](EventType type, std::uint64_t sub = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
    event.sub = static_cast<std::uint16_t>(sub);
    return fill(event, type, index_.io_handles[field[0]], a, b);
  };
  switch (view.kind) {
    case EventKind::io_create_handle:
      return at(EventType::io_create_handle, field[1], field[2] | field[3] << 32);
    case EventKind::io_duplicate_handle:  // the new one is made: for reading and writing, as far as is known
      event.sub = read_write;
      return fill(event, EventType::io_create_handle, index_.io_handles[field[1]], field[2] << 32);
    case EventKind::io_destroy_handle:
      return at(EventType::io_destroy_handle);
    case EventKind::io_delete_file:
      event.sub = index_.io_paradigm(field[0]);
      return fill(event, EventType::io_delete_file, index_.io_files[field[1]]);
    case EventKind::io_seek:
      return at(EventType::io_seek, field[2], field[1], field[3]);
    case EventKind::io_operation_begin:
      return at(EventType::io_operation_begin, field[1] | field[2] << 8, field[3], field[4]);
    case EventKind::io_operation_issued:
      return at(EventType::io_operation_issued, 0, 0, field[1]);
    case EventKind::io_operation_test:
      return at(EventType::io_operation_test, 0, 0, field[1]);
    case EventKind::io_operation_complete:
      return at(EventType::io_operation_complete, 0, field[1], field[2]);
    case EventKind::io_operation_cancelled:
      return at(EventType::io_operation_cancelled, 0, 0, field[1]);
    default:
      return false;
  }
}

/// False: not one of these.
bool EventTranslation::translate_other(const EventView& view, Event& event) const {
  const auto& field = view.field;
  const auto set = [&](EventType type, std::uint32_t ref = 0, std::uint64_t a = 0, std::uint64_t b = 0) {
    return fill(event, type, ref, a, b);
  };
  switch (view.kind) {
    case EventKind::enter:
    case EventKind::leave:
    case EventKind::thread_task_create:
    case EventKind::thread_task_switch:
    case EventKind::thread_task_complete:
      fill_plain(view.kind, field, event);
      return true;
    case EventKind::thread_acquire_lock:
    case EventKind::thread_release_lock:
      fill_plain(view.kind, field, event);
      event.sub = sub_of_model(field[0]);
      return true;
    case EventKind::calling_context_enter:
      return set(EventType::enter, region_of_context(field[0]));
    case EventKind::calling_context_leave:
      return set(EventType::leave, region_of_context(field[0]));
    case EventKind::program_begin:
      return set(EventType::program_begin, 0, index_.strings[field[0]]);
    case EventKind::program_end:
      return set(EventType::program_end, 0, field[0], 1);
    case EventKind::thread_fork:
      event.sub = sub_of_model(field[0]);
      return set(EventType::thread_fork, 0, field[1]);
    case EventKind::thread_join:
      event.sub = sub_of_model(field[0]);
      return set(EventType::thread_join);
    case EventKind::thread_team_begin:
      return set(EventType::team_begin, index_.comms[field[0]]);
    case EventKind::thread_team_end:
      return set(EventType::team_end, index_.comms[field[0]]);
    case EventKind::measurement_on_off:
      return set(EventType::measurement_on_off, 0, field[0] == 1 ? 1 : 0);
    case EventKind::buffer_flush:
      return set(EventType::buffer_flush, 0, nanoseconds(field[0]));
    case EventKind::parameter_int:
      return set(EventType::parameter_int, index_.parameters[field[0]], field[1]);
    case EventKind::parameter_unsigned_int:
      return set(EventType::parameter_uint, index_.parameters[field[0]], field[1]);
    case EventKind::parameter_string:
      return set(EventType::parameter_string, index_.parameters[field[0]], index_.strings[field[1]]);
    case EventKind::metric:
      if (view.values.empty()) return false;
      event.sub = view.types.front();
      return set(EventType::metric_uint, index_.metric(field[0], 0), view.values.front());
    case EventKind::rma_get:
    case EventKind::rma_put:
      if (is_of_mpi(field[0])) return false;
      event.sub = static_cast<std::uint16_t>(index_.windows[field[0]]);
      return set(view.kind == EventKind::rma_get ? EventType::rma_get : EventType::rma_put,
                 static_cast<std::uint32_t>(field[1]), field[2], field[3]);
    case EventKind::rma_op_complete_blocking:
    case EventKind::rma_op_complete_non_blocking:
      if (is_of_mpi(field[0])) return false;
      event.sub = static_cast<std::uint16_t>(index_.windows[field[0]]);
      return set(EventType::rma_op_complete_blocking, 0, view.kind == EventKind::rma_op_complete_blocking ? 0 : 1,
                 field[1]);
    default:
      return false;
  }
}

std::uint32_t EventTranslation::region_of_context(std::uint64_t context) const {
  const auto* found = from_.calling_contexts.find(context);
  return found == nullptr ? undefined_ref : index_.regions[found->region];
}

}  // namespace tracer::otf2
