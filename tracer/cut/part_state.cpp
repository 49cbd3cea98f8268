// SPDX-License-Identifier: BSD-3-Clause
// See part_state.hpp.
#include "tracer/cut/part_state.hpp"

#include <algorithm>
#include <cstddef>

#include "tracer/replay/process_groups.hpp"

namespace tracer::report {
namespace {

/// Of what is kept: processes, and locations, have nothing in common.
constexpr std::uint64_t by_process = 1, by_thread = 2;

/// Whose operations are of a part that has not all of a process: those of `wanted`, or of none where none that is
/// wanted has called MPI. False: of those that have, some are wanted, and some are not.
bool cut_operations(const std::vector<bool>& has_operations, std::vector<bool>& wanted) {
  bool has_wanted = false, has_others = false;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (has_operations[i]) (wanted[i] ? has_wanted : has_others) = true;
  if (has_wanted) return !has_others;
  if (has_others) wanted.assign(wanted.size(), false);
  return true;
}

}  // namespace

PartState::PartState(const Definitions& definitions)
    : process_{processes_of_locations(definitions)},
      process_of_(definitions.comms.size(), undefined_ref),
      has_operations_(definitions.locations.size()),
      open_{definitions},
      mpi_{definitions} {
  for (const Location& location : definitions.locations) used_.push_back(location.used);
}

void PartState::follow(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) {
  if (location >= used_.size() || !used_[location]) return;
  switch (event.type) {
    case EventType::team_begin:
    case EventType::task_create:
    case EventType::task_switch:
    case EventType::task_complete:
      note_process(location, event.ref);
      break;
    default:
      break;
  }
  if (event.type >= EventType::mpi_send) {
    has_operations_[location] = true;
    mpi_.before(location, event, attributes);
  }
  open_.follow(location, event, attributes);
}

void PartState::note_process(LocationRef location, CommRef comm) {
  if (comm >= process_of_.size()) {
    is_by_process_ = false;
    return;
  }
  std::uint32_t& process = process_of_[comm];
  if (process == undefined_ref) process = process_[location];
  if (process != process_[location]) is_by_process_ = false;
}

std::string PartState::kept() const {
  std::string out;
  const bool is_by_process = is_by_process_ && mpi_.is_by_process();
  const bool is_by_thread = is_by_process && open_.is_by_location();
  put_number(out, (is_by_process ? by_process : 0u) + (is_by_thread ? by_thread : 0u));
  if (is_by_thread) {
    put_number(out, static_cast<std::uint64_t>(std::count(has_operations_.begin(), has_operations_.end(), true)));
    for (LocationRef location = 0; location < has_operations_.size(); ++location)
      if (has_operations_[location]) put_number(out, location);
  }
  open_.keep(out);
  mpi_.keep(out);
  return out;
}

bool take_part_state(std::string_view kept, const Definitions& definitions, const std::vector<bool>& wanted,
                     bool are_processes, OpenState& open, MpiCut& mpi) {
  BytesIn in{kept};
  const std::uint64_t how = in.number();
  if (!wanted.empty() && (how & by_process) == 0) return false;
  if (!are_processes && (how & by_thread) == 0) return false;
  std::vector<bool> has_operations(definitions.locations.size());
  for (std::size_t left = (how & by_thread) == 0 ? 0 : in.count(); left != 0 && in.ok(); --left) {
    const std::uint32_t location = in.number32();
    if (location < has_operations.size())
      has_operations[location] = true;
    else
      in.refuse();
  }
  std::vector<bool> of_mpi = wanted;
  if (!are_processes && !cut_operations(has_operations, of_mpi)) return false;
  open.take(in, definitions, wanted);
  mpi.take(in, of_mpi);
  return in.ok() && in.left() == 0;
}

}  // namespace tracer::report
