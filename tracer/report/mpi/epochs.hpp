// SPDX-License-Identifier: BSD-3-Clause
// Who waited for whom where windows are synchronised by groups: MPI_Win_post, MPI_Win_start, and what ends them.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"

namespace tracer::report {

/// An origin's n-th access of a window of a target meets the target's n-th exposure to that origin (MPI 4.0, 12.5.2).
/// The origin waits until the last of its targets calls MPI_Win_post: in MPI_Win_start, or where that has not waited in
/// MPI_Win_complete. The target waits in MPI_Win_wait until the last of its origins calls MPI_Win_complete.
class MpiEpochs final : public Observer {
 public:
  MpiEpochs(const Definitions& definitions, const Replay& replay, MpiSink& sink);
  bool is_concerned() const override { return !definitions_.windows.empty(); }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;

 private:
  enum Side : std::uint8_t { access, exposure };
  /// What a rank opens and closes; `missing` partners have not done what lets it go on.
  struct Epoch {
    Side side = access;
    MpiCall opened, closed;
    bool is_closed = false;
    std::size_t missing = 0;
    MpiCall last;  ///< of what partners did
  };
  /// Of one side of a pair of ranks: epochs that wait for a partner's call, or calls that came before the epoch.
  struct Pairing {
    std::deque<std::shared_ptr<Epoch>> waiting;
    std::deque<MpiCall> came;
  };
  struct OfWindow {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Pairing> pairings[2];  ///< by side, then by its rank and partner
    std::map<std::uint32_t, std::shared_ptr<Epoch>> open[2];                 ///< by side, then by rank
  };
  static constexpr std::size_t most_open = 1024;  ///< of a pair: some of them left no trace of their end

  std::vector<std::uint32_t> partners_in(std::uint32_t group) const;
  void open(OfWindow& window, Side side, const MpiCall& call, const std::vector<std::uint32_t>& partners);
  void close(OfWindow& window, Side side, const MpiCall& call);
  /// What `call` did lets the partners' epochs of that side go on.
  void let_go(OfWindow& window, Side side, const MpiCall& call, const std::vector<std::uint32_t>& partners);
  void meet(Epoch& epoch, const MpiCall& call);
  void look_at(const Epoch& epoch);

  const Definitions& definitions_;
  const Replay& replay_;
  MpiSink& sink_;
  MpiWorld world_;
  std::map<std::uint32_t, OfWindow> windows_;
};

}  // namespace tracer::report
