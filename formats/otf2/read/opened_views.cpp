// SPDX-License-Identifier: BSD-3-Clause
// See opened_views.hpp. The other way round than event_translation.cpp.
#include "formats/otf2/read/opened_views.hpp"

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "tracer/error.hpp"

namespace tracer::otf2 {
namespace {

template <class Table>
std::uint64_t ref_of(const Table& table, std::uint64_t place) {
  return place < table.size() ? std::uint64_t{table[static_cast<std::size_t>(place)].ref} : undefined_ref;
}

/// The class or instance that the metric is a value of.
std::uint64_t ref_of_metric(const TraceDefinitions& of, const Indices& index, std::uint64_t metric) {
  const auto& first = index.first_of_metric;
  const auto behind = std::upper_bound(first.begin(), first.end(), metric);
  if (behind == first.begin() || behind == first.end()) return undefined_ref;
  return ref_of(of.metrics, static_cast<std::uint64_t>(behind - first.begin()) - 1);
}

/// The reference of an attribute's value whose place in the definitions is `value` (EventTranslation::dense()).
std::uint64_t reference(const TraceDefinitions& of, const Indices& index, std::uint8_t type, std::uint64_t value) {
  switch (static_cast<ValueType>(type)) {
    case ValueType::string:
      return ref_of(of.strings, value);
    case ValueType::attribute:
      return ref_of(of.attributes, value);
    case ValueType::location:
      return value == undefined_location ? value : ref_of(of.locations, value);
    case ValueType::region:
      return ref_of(of.regions, value);
    case ValueType::group:
      return ref_of(of.groups, value);
    case ValueType::metric:
      return ref_of_metric(of, index, value);
    case ValueType::comm:
      return ref_of(of.comms, value);
    case ValueType::parameter:
      return ref_of(of.parameters, value);
    case ValueType::rma_window:
      return ref_of(of.windows, value);
    case ValueType::io_file:
      return ref_of(of.io_files, value);
    case ValueType::io_handle:
      return ref_of(of.io_handles, value);
    case ValueType::location_group:
      return ref_of(of.location_groups, value);
    default:
      return value;
  }
}

/// The paradigm of a fork or a lock.
std::uint64_t model_of_opened(const Event& event) {
  return event.sub == 0 ? values::paradigm_openmp : event.sub;
}

bool set(EventView& view, EventKind kind, std::initializer_list<std::uint64_t> fields = {}) {
  view.kind = kind;
  std::size_t i = 0;
  for (const std::uint64_t field : fields) view.field[i++] = field;
  return true;
}

}  // namespace

OpenedViews::OpenedViews(const Trace& trace)
    : trace_{trace},
      index_{trace.definitions()},
      definitions_{definitions_of(trace, index_)},
      translation_{trace.definitions(), index_, definitions_} {}

std::optional<OwnedView> OpenedViews::view_of(LocationRef location, const Event& event,
                                              std::span<const EventAttribute> attributes) const {
  const TraceDefinitions& d = trace_.definitions();
  OwnedView out;
  if (location >= d.locations.size() || !fill(event, out.view)) return std::nullopt;
  out.view.location = d.locations[location].ref;
  for (const EventAttribute& one : attributes) {
    if (one.is_payload() || one.attribute >= d.attributes.size()) continue;
    const AttributeDef& of = d.attributes[one.attribute];
    out.attributes.push_back({static_cast<std::uint32_t>(of.ref), of.type, reference(d, index_, of.type, one.value)});
  }
  return out;
}

bool OpenedViews::fill(const Event& event, EventView& view) const {
  const TraceDefinitions& d = trace_.definitions();
  const std::uint64_t a = event.a, b = event.b;
  switch (event.type) {
    case EventType::program_begin:
      return set(view, EventKind::program_begin, {ref_of(d.strings, a)});
    case EventType::enter:
      return set(view, EventKind::enter, {ref_of(d.regions, event.ref)});
    case EventType::leave:
      return set(view, EventKind::leave, {ref_of(d.regions, event.ref)});
    case EventType::thread_fork:
      return set(view, EventKind::thread_fork, {model_of_opened(event), a});
    case EventType::team_begin:
      return set(view, EventKind::thread_team_begin, {ref_of(d.comms, event.ref)});
    case EventType::team_end:
      return set(view, EventKind::thread_team_end, {ref_of(d.comms, event.ref)});
    case EventType::task_create:
      return set(view, EventKind::thread_task_create, {ref_of(d.comms, event.ref), a, b});
    case EventType::task_switch:
      return set(view, EventKind::thread_task_switch, {ref_of(d.comms, event.ref), a, b});
    case EventType::acquire_lock:
      return set(view, EventKind::thread_acquire_lock, {model_of_opened(event), a, b});
    case EventType::parameter_int:
      return set(view, EventKind::parameter_int, {ref_of(d.parameters, event.ref), a});
    case EventType::parameter_uint:
      return set(view, EventKind::parameter_unsigned_int, {ref_of(d.parameters, event.ref), a});
    case EventType::parameter_string:
      return set(view, EventKind::parameter_string, {ref_of(d.parameters, event.ref), ref_of(d.strings, a)});
    case EventType::rma_get:
      return set(view, EventKind::rma_get, {ref_of(d.windows, event.sub), event.ref, a, b});
    case EventType::rma_put:
      return set(view, EventKind::rma_put, {ref_of(d.windows, event.sub), event.ref, a, b});
    case EventType::mpi_collective_begin:
      return set(view, EventKind::mpi_collective_begin);
    case EventType::mpi_rma_collective_begin:
      return set(view, EventKind::rma_collective_begin);
    case EventType::mpi_collective_request:
      return set(view, EventKind::non_blocking_collective_request, {a});
    case EventType::mpi_irecv_request:
      return set(view, EventKind::mpi_irecv_request, {a});
    case EventType::comm_create:
      return set(view, EventKind::comm_create, {ref_of(d.comms, event.ref)});
    case EventType::mpi_window_create:
      return set(view, EventKind::rma_win_create, {ref_of(d.windows, event.sub)});
    case EventType::io_create_handle:
      return set(view, EventKind::io_create_handle,
                 {ref_of(d.io_handles, event.ref), event.sub, a & 0xffffffffu, a >> 32});
    case EventType::io_operation_begin:
      return set(view, EventKind::io_operation_begin,
                 {ref_of(d.io_handles, event.ref), event.sub & 0xffu, std::uint64_t{event.sub} >> 8, a, b});
    case EventType::io_operation_issued:
      return set(view, EventKind::io_operation_issued, {ref_of(d.io_handles, event.ref), b});
    default:
      return false;
  }
}

/// The number of events to leave out counts those with a type of this project.
std::vector<std::optional<EventReader>> OpenedViews::readers(std::span<const ResumePlace> places) const {
  const auto& locations = trace_.definitions().locations;
  std::vector<std::optional<EventReader>> readers(locations.size());
  EventView view;
  std::vector<Event> events;
  std::vector<EventAttribute> attributes;
  for (const ResumePlace& place : places) {
    if (place.location >= readers.size() || readers[place.location])
      throw Error{"the index has a location that the archive has not"};
    EventReader& reader = readers[place.location].emplace(trace_.events(locations[place.location].ref));
    reader.go_to(place.position);
    for (std::uint64_t left = place.skip; left != 0;) {
      if (!reader.next(view)) throw Error{"the archive's events differ from its index"};
      trace_.complete(view);
      left -= std::min<std::uint64_t>(left, translation_.translate(view, events, attributes));
    }
  }
  return readers;
}

}  // namespace tracer::otf2
