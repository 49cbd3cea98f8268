// SPDX-License-Identifier: BSD-3-Clause
// See details.hpp.
#include "tracer/view/details.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "tracer/event_names.hpp"
#include "tracer/value_text.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/text.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

std::string text_of(const Definitions& of, std::uint64_t string) {
  return string < of.strings.size() ? of.strings[static_cast<std::size_t>(string)] : std::string{};
}

Json value_of(const Definitions& of, ValueType type, std::uint64_t value) {
  switch (type) {
    case ValueType::string:
      return text_of(of, value);
    case ValueType::region:
      return value < of.regions.size() ? Json(of.regions[static_cast<std::size_t>(value)].name) : exact(value);
    case ValueType::location:
      return value < of.locations.size() ? Json(of.locations[static_cast<std::size_t>(value)].name) : exact(value);
    default:
      if (is_real(type)) return number_of(type, value);
      return is_signed(type) ? exact(static_cast<std::int64_t>(value)) : exact(value);
  }
}

std::string comm_of(const Definitions& of, std::uint32_t comm) {
  return comm < of.comms.size() ? of.comms[comm].name : std::string{};
}

void add_message(Json& what, const Definitions& of, const Event& event, const char* other) {
  what["communicator"] = comm_of(of, event.ref);
  what["bytes"] = exact(event.a);
  what[other] = event.b & 0xffffffffu;
  what["tag"] = event.b >> 32;
}

void add_fields(Json& what, const Definitions& of, const Event& event) {
  switch (event.type) {
    case EventType::program_begin:
      what["program"] = text_of(of, event.a);
      break;
    case EventType::program_end:
      if (event.b == 1) what["exit status"] = exact(static_cast<std::int64_t>(event.a));
      break;
    case EventType::enter:
    case EventType::leave:
      if (event.ref < of.regions.size()) what["region"] = of.regions[event.ref].name;
      break;
    case EventType::thread_fork:
      what["threads asked for"] = exact(event.a);
      break;
    case EventType::team_begin:
    case EventType::team_end:
      what["team"] = comm_of(of, event.ref);
      break;
    case EventType::task_create:
    case EventType::task_switch:
    case EventType::task_complete:
      what["team"] = comm_of(of, event.ref);
      what["creator's number in the team"] = exact(event.a);
      what["generation"] = exact(event.b);
      break;
    case EventType::acquire_lock:
    case EventType::release_lock:
      what["lock"] = exact(event.a);
      what["acquisition"] = exact(event.b);
      break;
    case EventType::parameter_int:
    case EventType::parameter_uint:
    case EventType::parameter_string: {
      const std::string name = event.ref < of.parameters.size() ? of.parameters[event.ref].name : "value";
      what[name] = event.type == EventType::parameter_int    ? exact(static_cast<std::int64_t>(event.a))
                   : event.type == EventType::parameter_uint ? exact(event.a)
                                                             : Json(text_of(of, event.a));
      break;
    }
    case EventType::metric_uint: {
      const bool is_known = event.ref < of.metrics.size();
      what[is_known ? of.metrics[event.ref].name : "metric"] = value_of(of, value_type(event), event.a);
      break;
    }
    case EventType::rma_get:
    case EventType::rma_put:
      what["bytes"] = exact(event.a);
      what["matching id"] = exact(event.b);
      break;
    case EventType::mpi_send:
    case EventType::mpi_isend:
      add_message(what, of, event, "receiver");
      break;
    case EventType::mpi_recv:
    case EventType::mpi_irecv:
      add_message(what, of, event, "sender");
      break;
    case EventType::mpi_isend_complete:
    case EventType::mpi_irecv_request:
    case EventType::mpi_request_test:
    case EventType::mpi_request_cancelled:
    case EventType::mpi_collective_request:
      what["request"] = exact(event.a);
      break;
    case EventType::mpi_collective_end:
    case EventType::mpi_collective_complete:
      what["communicator"] = comm_of(of, event.ref);
      what["bytes sent"] = exact(event.a);
      what["bytes received"] = exact(event.b);
      break;
    default:
      if (event.a != 0) what["first number"] = exact(event.a);
      if (event.b != 0) what["second number"] = exact(event.b);
      break;
  }
}

Json what_of(const Definitions& of, const Event& event, std::span<const EventAttribute> attributes) {
  Json what = Json::object();
  add_fields(what, of, event);
  for (const EventAttribute& one : attributes) {
    if (one.is_payload()) {
      const bool is_request = event.type == EventType::mpi_isend || event.type == EventType::mpi_irecv;
      what[is_request ? "request" : "root"] = exact(is_request ? one.value : one.number());
    } else if (one.attribute < of.attributes.size()) {
      const AttributeDefinition& attribute = of.attributes[one.attribute];
      what[attribute.name] = value_of(of, attribute.type, one.value);
    }
  }
  return what;
}

}  // namespace

Json events_of(index::TraceIndex& index, LocationRef location, std::uint64_t origin, std::uint64_t from,
               std::uint64_t to, std::uint64_t most) {
  Json list = Json::array();
  index.events(location, origin + from, [&](const Event& event, std::span<const EventAttribute> attributes) {
    if (event.time > origin + to || list.size() >= most) return false;
    list.push_back({{"time", event.time - origin},
                    {"type", tracer::name_of(event.type)},
                    {"what", what_of(index.definitions(), event, attributes)}});
    return true;
  });
  return list;
}

bool is_call_of(const Definitions& definitions, RegionRef region, bool is_send) {
  if (region >= definitions.regions.size()) return false;
  const std::string name = lowered(definitions.regions[region].name);
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  return is_send ? has("send") : has("recv") || has("wait") || has("test");
}

std::optional<index::Slice> slice_with(index::TraceIndex& index, LocationRef location, std::uint64_t time,
                                       EventType event) {
  const bool is_send = event == EventType::mpi_send || event == EventType::mpi_isend,
             is_receive = event == EventType::mpi_recv || event == EventType::mpi_irecv;
  const bool is_at_end =
      is_receive || event == EventType::release_lock || event == EventType::task_complete || event == EventType::leave;
  const auto fit = [&](const index::Slice& one) {
    const bool is_call = (is_send || is_receive) && is_call_of(index.definitions(), one.region, is_send);
    return (is_call ? 2 : 0) + ((is_at_end ? one.begin < time : one.end > time) ? 1 : 0);
  };
  std::optional<index::Slice> best;
  for (const index::Slice& one : index.slices(location, time, time)) {
    const bool is_better = !best || one.depth > best->depth || (one.depth == best->depth && fit(one) >= fit(*best));
    if (is_better) best = one;
  }
  return best;
}

}  // namespace tracer::view
