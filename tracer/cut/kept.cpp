// SPDX-License-Identifier: BSD-3-Clause
// See kept.hpp.
#include "tracer/cut/kept.hpp"

#include <cstddef>

namespace tracer::report {
namespace {

constexpr std::uint64_t last_type = static_cast<std::uint64_t>(EventType::io_operation_cancelled);

/// A reader gives undefined_ref for what an archive does not define.
template <class Table>
bool is_in(const Table& table, std::uint64_t ref) {
  return ref < table.size() || ref == undefined_ref;
}

/// Whether the event opens something, and what it refers to is there.
bool is_opening(const Event& event, const Definitions& definitions) {
  switch (event.type) {
    case EventType::enter:
      return is_in(definitions.regions, event.ref);
    case EventType::team_begin:
    case EventType::task_create:
    case EventType::comm_create:
      return is_in(definitions.comms, event.ref);
    case EventType::parameter_int:
    case EventType::parameter_uint:
      return is_in(definitions.parameters, event.ref);
    case EventType::parameter_string:
      return is_in(definitions.parameters, event.ref) && is_in(definitions.strings, event.a);
    case EventType::program_begin:
      return is_in(definitions.strings, event.a);
    case EventType::rma_get:
    case EventType::rma_put:
    case EventType::mpi_window_create:
      return event.sub < definitions.windows.size() || event.sub == static_cast<std::uint16_t>(undefined_ref);
    case EventType::io_create_handle:
    case EventType::io_operation_begin:
    case EventType::io_operation_issued:
      return is_in(definitions.io_handles, event.ref);
    case EventType::thread_fork:
    case EventType::acquire_lock:
    case EventType::mpi_collective_begin:
    case EventType::mpi_rma_collective_begin:
    case EventType::mpi_collective_request:
    case EventType::mpi_irecv_request:
      return true;
    default:
      return false;
  }
}

}  // namespace

void put_event(std::string& out, const Event& event, std::span<const EventAttribute> attributes) {
  const bool has_more = event.a != 0 || event.b != 0 || event.sub != 0;
  put_number(out, std::uint64_t{static_cast<std::uint8_t>(event.type)} * 4 + (attributes.empty() ? 0 : 2) + has_more);
  put_number(out, event.ref);
  if (has_more) {
    put_number(out, event.sub);
    put_number(out, event.a);
    put_number(out, event.b);
  }
  if (attributes.empty()) return;
  put_number(out, attributes.size());
  for (const EventAttribute& attribute : attributes) {
    put_number(out, attribute.attribute);
    put_number(out, attribute.value);
  }
}

Event get_event(BytesIn& in, const Definitions& definitions, std::vector<EventAttribute>& attributes) {
  constexpr std::size_t most_attributes = 255;
  const std::uint64_t head = in.number();
  if (head / 4 > last_type) in.refuse();
  Event event{};
  if (!in.ok()) return event;
  event.type = static_cast<EventType>(head / 4);
  event.ref = in.number32();
  if ((head & 1) != 0) {
    const std::uint32_t sub = in.number32();
    if (sub > 0xffff) in.refuse();
    event.sub = static_cast<std::uint16_t>(sub);
    event.a = in.number();
    event.b = in.number();
  }
  const std::size_t count = (head & 2) != 0 ? in.count() : 0;
  if (count > most_attributes) in.refuse();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint32_t which = in.number32();
    const EventAttribute attribute{which, in.number()};
    if (!attribute.is_payload() && !is_in(definitions.attributes, which)) in.refuse();
    attributes.push_back(attribute);
  }
  event.attributes = static_cast<std::uint8_t>(attributes.size());
  if (!is_opening(event, definitions)) in.refuse();
  return event;
}

}  // namespace tracer::report
