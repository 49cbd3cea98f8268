// SPDX-License-Identifier: BSD-3-Clause
// See part_state.hpp.
#include "tracer/cut/part_state.hpp"

#include "tracer/replay/process_groups.hpp"

namespace tracer::report {

PartState::PartState(const Definitions& definitions)
    : process_{processes_of_locations(definitions)},
      process_of_(definitions.comms.size(), undefined_ref),
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
  mpi_.before(location, event, attributes);
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
  put_number(out, is_by_process_ && mpi_.is_by_process() ? 1 : 0);
  open_.keep(out);
  mpi_.keep(out);
  return out;
}

bool take_part_state(std::string_view kept, const Definitions& definitions, const std::vector<bool>& wanted,
                     OpenState& open, MpiCut& mpi) {
  BytesIn in{kept};
  const bool is_by_process = in.number() != 0;
  if (!wanted.empty() && !is_by_process) return false;
  open.take(in, definitions, wanted);
  mpi.take(in, wanted);
  return in.ok() && in.left() == 0;
}

}  // namespace tracer::report
