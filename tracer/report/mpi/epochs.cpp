// SPDX-License-Identifier: BSD-3-Clause
// See epochs.hpp.
#include "tracer/report/mpi/epochs.hpp"

#include <string_view>

namespace tracer::report {

MpiEpochs::MpiEpochs(const Definitions& definitions, const Replay& replay, MpiSink& sink)
    : definitions_{definitions}, replay_{replay}, sink_{sink}, world_{definitions} {}

void MpiEpochs::other_event(LocationRef location, const Event& event, std::span<const EventAttribute>) {
  if (event.type != EventType::mpi_rma_group_sync) return;
  const Frame* const frame = mpi_call(replay_, location);
  const std::uint32_t rank = world_.rank_of(location);
  if (frame == nullptr || rank == undefined_ref || frame->region >= definitions_.regions.size()) return;
  const std::string_view function = definitions_.regions[frame->region].canonical;
  const MpiCall call{rank, frame->region, frame->enter, event.time};
  const std::vector<std::uint32_t> partners = partners_in(event.ref);
  OfWindow& window = windows_[event.sub];
  if (function == "MPI_Win_start") {
    open(window, access, call, partners);
  } else if (function == "MPI_Win_post") {
    open(window, exposure, call, partners);
    let_go(window, access, call, partners);
  } else if (function == "MPI_Win_complete") {
    let_go(window, exposure, call, partners);
    close(window, access, call);
  } else {
    close(window, exposure, call);
  }
}

/// Without those that left no trace: their arrival is unknown.
std::vector<std::uint32_t> MpiEpochs::partners_in(std::uint32_t group) const {
  std::vector<std::uint32_t> partners;
  if (group >= definitions_.groups.size() || definitions_.groups[group].kind != GroupKind::comm_group) return partners;
  for (const std::uint32_t rank : definitions_.groups[group].members)
    if (rank < world_.ranks() && world_.is_known(rank)) partners.push_back(rank);
  return partners;
}

void MpiEpochs::open(OfWindow& window, Side side, const MpiCall& call, const std::vector<std::uint32_t>& partners) {
  const auto epoch = std::make_shared<Epoch>();
  epoch->side = side;
  epoch->opened = call;
  epoch->missing = partners.size();
  window.open[side][call.rank] = epoch;
  for (const std::uint32_t partner : partners) {
    Pairing& pairing = window.pairings[side][{call.rank, partner}];
    if (pairing.came.empty()) {
      pairing.waiting.push_back(epoch);
      if (pairing.waiting.size() > most_open) pairing.waiting.pop_front();
    } else {
      meet(*epoch, pairing.came.front());
      pairing.came.pop_front();
    }
  }
}

void MpiEpochs::close(OfWindow& window, Side side, const MpiCall& call) {
  const auto found = window.open[side].find(call.rank);
  if (found == window.open[side].end()) return;
  Epoch& epoch = *found->second;
  epoch.closed = call;
  epoch.is_closed = true;
  look_at(epoch);
  window.open[side].erase(found);
}

void MpiEpochs::let_go(OfWindow& window, Side side, const MpiCall& call, const std::vector<std::uint32_t>& partners) {
  for (const std::uint32_t partner : partners) {
    Pairing& pairing = window.pairings[side][{partner, call.rank}];
    if (pairing.waiting.empty()) {
      pairing.came.push_back(call);
      if (pairing.came.size() > most_open) pairing.came.pop_front();
    } else {
      meet(*pairing.waiting.front(), call);
      pairing.waiting.pop_front();
    }
  }
}

void MpiEpochs::meet(Epoch& epoch, const MpiCall& call) {
  if (epoch.last.region == undefined_ref || call.enter > epoch.last.enter) epoch.last = call;
  --epoch.missing;
  look_at(epoch);
}

void MpiEpochs::look_at(const Epoch& epoch) {
  if (!epoch.is_closed || epoch.missing != 0 || epoch.last.region == undefined_ref) return;
  const MpiCall& last = epoch.last;
  if (epoch.side == access) {
    // MPI_Win_start need not wait: what it was over before has not held it up.
    const bool waited_at_start = epoch.opened.leave + mpi_clock_error >= last.enter;
    report_wait(sink_, MpiWait::late_post, waited_at_start ? epoch.opened : epoch.closed, last);
  } else if (definitions_.regions[epoch.closed.region].canonical == "MPI_Win_wait") {
    report_wait(sink_, MpiWait::early_wait, epoch.closed, last);
  }
}

}  // namespace tracer::report
