// SPDX-License-Identifier: BSD-3-Clause
// See matched_messages.hpp.
#include "formats/otf2/read/matched_messages.hpp"

#include <utility>
#include <vector>

#include "formats/otf2/read/reader.hpp"
#include "tracer/error.hpp"

namespace tracer::otf2 {

void MatchedMessages::complete(const Trace& trace, EventView& view) {
  auto& field = view.field;
  if (view.kind == EventKind::mpi_imrecv_request) {
    view.kind = EventKind::mpi_irecv_request;
    field[0] = field[1];
    return;
  }
  const bool is_request = view.kind == EventKind::mpi_imrecv;
  const Process& process = process_of(trace, view.location);
  const Messages& messages = is_request ? process.by_request : process.by_message;
  const auto found = messages.find(field[0]);
  if (found == messages.end()) return;
  const std::uint64_t request = field[0], length = field[1];
  const Message& message = found->second;
  view.kind = is_request ? EventKind::mpi_irecv : EventKind::mpi_recv;
  field = {message.sender, message.comm, message.tag, length};
  if (is_request) field[4] = request;
}

const MatchedMessages::Process& MatchedMessages::process_of(const Trace& trace, std::uint64_t location) {
  const LocationDef* known = trace.definitions().locations.find(location);
  const std::uint64_t group = known == nullptr ? undefined_ref : known->group;
  const std::lock_guard lock{mutex_};
  const auto [found, is_new] = processes_.try_emplace(group);
  if (is_new && known != nullptr) read(trace, group, found->second);
  return found->second;
}

void MatchedMessages::read(const Trace& trace, std::uint64_t group, Process& process) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> requests;  // of which message
  for (const LocationDef& location : trace.definitions().locations) {
    if (location.group != group) continue;
    try {
      EventReader reader = trace.events(location.ref);
      for (EventView view; reader.next(view);) {
        const auto& field = view.field;
        if (view.kind == EventKind::mpi_probe) process.by_message[field[3]] = {field[0], field[1], field[2]};
        if (view.kind == EventKind::mpi_imrecv_request) requests.emplace_back(field[1], field[0]);
      }
    } catch (const Error&) {  // whoever reads this location for its events comes upon it
    }
  }
  for (const auto& [request, message] : requests)
    if (const auto found = process.by_message.find(message); found != process.by_message.end())
      process.by_request[request] = found->second;
}

}  // namespace tracer::otf2
