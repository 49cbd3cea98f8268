// SPDX-License-Identifier: BSD-3-Clause
// See usage.hpp.
#include "tracer/translate/write/usage.hpp"

#include <cstddef>

namespace tracer::translate {
namespace {

bool is_marked(const std::vector<std::uint8_t>& marks, std::size_t ref) {
  return ref < marks.size() && marks[ref] != 0;
}

void add(std::vector<std::uint8_t>& to, const std::vector<std::uint8_t>& from) {
  if (to.size() < from.size()) to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) to[i] |= from[i];
}

}  // namespace

void Usage::other_event(EventType type, std::uint32_t ref, std::uint64_t a) {
  switch (type) {
    case EventType::mpi_send:
    case EventType::mpi_isend:
    case EventType::mpi_recv:
    case EventType::mpi_irecv:
    case EventType::mpi_collective_end:
    case EventType::mpi_collective_complete:
    case EventType::comm_create:
    case EventType::comm_destroy:
      return comm(ref);
    case EventType::mpi_rma_group_sync:
      return group(ref);
    case EventType::parameter_string:
      string(static_cast<std::uint32_t>(a));
      return parameter(ref);
    case EventType::parameter_uint:
      return parameter(ref);
    default:
      return;
  }
}

void Usage::merge(const Usage& other) {
  add(attributes_, other.attributes_);
  add(parameters_, other.parameters_);
  add(strings_, other.strings_);
  add(comms_, other.comms_);
  add(groups_, other.groups_);
}

/// What keeps communicators, and they their groups.
void Usage::keep_comms(Definitions& definitions) const {
  for (const RmaWindow& window : definitions.windows) definitions.comms.at(window.comm).used = true;
  for (const IoHandle& handle : definitions.io_handles)
    if (handle.comm != undefined_ref) definitions.comms.at(handle.comm).used = true;
  for (std::size_t i = definitions.comms.size(); i-- > 0;)  // parents come before children
    if (const Comm& comm = definitions.comms[i]; comm.used && comm.parent != undefined_ref)
      definitions.comms.at(comm.parent).used = true;
  for (std::size_t i = 0; i < definitions.groups.size(); ++i)
    definitions.groups[i].used = definitions.groups[i].kind != GroupKind::comm_group || is_marked(groups_, i);
  for (const Comm& comm : definitions.comms)
    if (comm.used) {
      definitions.groups.at(comm.group).used = true;
      if (comm.second_group != undefined_ref) definitions.groups.at(comm.second_group).used = true;
    }
}

void Usage::add_to(Definitions& definitions) const {
  for (std::size_t i = 0; i < definitions.attributes.size(); ++i)
    definitions.attributes[i].used = is_marked(attributes_, i);
  for (std::size_t i = 0; i < definitions.parameters.size(); ++i)
    definitions.parameters[i].used = is_marked(parameters_, i);
  for (std::size_t i = 0; i < definitions.comms.size(); ++i) definitions.comms[i].used = is_marked(comms_, i);
  keep_comms(definitions);
  definitions.unused_strings.resize(definitions.strings.size());
  for (std::size_t i = 0; i < definitions.strings.size(); ++i) definitions.unused_strings[i] = !is_marked(strings_, i);
}

}  // namespace tracer::translate
