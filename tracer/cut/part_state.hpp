// SPDX-License-Identifier: BSD-3-Clause
// What lies before a moment of a trace, as far as a part that begins behind it needs it: kept at some moments, so that
// the part's reader begins at the last of them (tracer/index).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tracer/cut/mpi_cut.hpp"
#include "tracer/cut/open_state.hpp"
#include "tracer/event_source.hpp"

namespace tracer::report {

/// Follows a whole trace.
class PartState {
 public:
  explicit PartState(const Definitions& definitions);
  void follow(LocationRef location, const Event& event, std::span<const EventAttribute> attributes);
  /// What take_part_state() reads.
  std::string kept() const;

 private:
  /// Of a team and its tasks: whether one process has it for itself.
  void note_process(LocationRef location, CommRef comm);

  std::vector<bool> used_;                 ///< by location
  std::vector<std::uint32_t> process_;     ///< likewise
  std::vector<std::uint32_t> process_of_;  ///< by communicator; undefined_ref: none yet
  std::vector<bool> has_operations_;       ///< by location: calls of MPI, input and output
  bool is_by_process_ = true;
  OpenState open_;
  MpiCut mpi_;
};

/// A moment at which a part's reading can begin.
struct PartStart {
  std::string_view kept;                    ///< PartState::kept()
  std::function<void(EventVisitor&)> read;  ///< the source's events from then on
};
/// The last one all of whose earlier events are before `time`; none: reading begins at the trace's begin.
using FindPartStart = std::function<std::optional<PartStart>(std::uint64_t time)>;

/// Puts into `open` and `mpi`, which are new, what they would have made of all events before; `wanted`: of these
/// locations; empty: of all. `are_processes`: those are whole processes. False: that is not to be had from what was
/// kept.
bool take_part_state(std::string_view kept, const Definitions& definitions, const std::vector<bool>& wanted,
                     bool are_processes, OpenState& open, MpiCut& mpi);

}  // namespace tracer::report
