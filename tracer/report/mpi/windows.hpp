// SPDX-License-Identifier: BSD-3-Clause
// Who waited for whom in one-sided communication: at fences, and for the locks of windows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "tracer/replay/mpi/messages.hpp"
#include "tracer/report/mpi/rounds.hpp"

namespace tracer::report {

/// The n-th collective operation on a window is one and the same for all ranks of its communicator. A rank has waited
/// where it was still in the call when the last one came: a fence need not synchronise (MPI 4.0, 12.5.1).
/// A lock is had in MPI_Win_lock, or as late as in the flush or MPI_Win_unlock that shows it was (12.5.3). The call
/// that goes on while another rank, whose lock excludes it, calls MPI_Win_unlock has waited until then.
class MpiWindows final : public Observer {
 public:
  MpiWindows(const Definitions& definitions, const Replay& replay, MpiSink& sink);
  bool is_concerned() const override { return !definitions_.windows.empty(); }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  /// Windows whose ranks did different collective operations at a time: what follows there is not looked at.
  std::uint64_t out_of_step() const;

 private:
  struct Fence {
    std::uint32_t what = 0;  ///< MpiOperation
    std::vector<MpiCall> parts;
    bool done = false;
  };
  /// Of one rank for one target: until the next one, or forget().
  struct Lock {
    std::uint32_t target = 0;  ///< all_targets: all
    bool is_shared = false, is_held = false;
    LocationRef location = 0;  ///< that asked for it
    MpiCall asked;             ///< MPI_Win_lock, once it is over
    MpiCall shown;             ///< the flush or unlock that shows that it is had
    bool is_reported = false;
    std::uint64_t had_since = ~std::uint64_t{0};  ///< as far as flushes show; else unknown
  };
  /// What a location's call of MPI is about, until it is left.
  struct Open {
    std::uint32_t window = undefined_ref;
    std::uint32_t target = 0;
    bool is_shared = false;
  };
  static constexpr std::uint32_t all_targets = 0xffffffff;
  static constexpr std::size_t most_open = 1024;  ///< operations of a window
  static constexpr std::size_t few_locks = 64;    ///< that need not be forgotten

  using OfTarget = std::map<std::uint32_t, Lock>;  ///< by rank
  /// The latest calls of MPI_Win_unlock by two ranks: of all but one rank the latest is among them.
  struct Releases {
    MpiCall last, before;
    void add(const MpiCall& call);
    const MpiCall& of_others(std::uint32_t rank) const { return last.rank != rank ? last : before; }
  };
  /// Those that are shared, or those that are not.
  struct Locks {
    std::map<std::uint32_t, OfTarget> by_target;
    std::map<std::uint32_t, Releases> releases;  ///< by target
    Releases all_releases;                       ///< of whatever target
  };
  struct OfWindow {
    std::array<Locks, 2> locks;                    ///< those that are not shared, those that are
    std::size_t count = 0, forget_at = few_locks;  ///< count: of locks
    Locks& of(bool is_shared) { return locks[is_shared ? 1 : 0]; }
    /// Those that exclude one of that kind: all, unless both are shared.
    std::span<Locks> against(bool is_shared) { return std::span<Locks>{locks}.first(is_shared ? 1 : 2); }
  };

  void fence(std::uint32_t window, std::uint32_t what, const MpiCall& part);
  void look_at(const Fence& fence);
  void asked(LocationRef location, const Open& open, const MpiCall& part);
  void acquired(std::uint32_t window, std::uint32_t target, const MpiCall& part);
  void wait_for_lock(OfWindow& window, Lock& mine, const MpiCall& part);
  void released(std::uint32_t window, std::uint32_t target, const MpiCall& part);
  Lock* held_by(std::uint32_t window, std::uint32_t target, std::uint32_t rank);
  void forget(OfWindow& window, std::uint64_t now) const;
  template <class Visit>
  static void for_those_excluded(OfWindow& window, const Lock& mine, std::uint32_t rank, const Visit& visit);

  const Definitions& definitions_;
  const Replay& replay_;
  MpiSink& sink_;
  MpiWorld world_;
  std::unordered_map<std::uint32_t, MpiRounds<Fence>> fences_;  ///< by window
  std::unordered_map<std::uint32_t, OfWindow> locks_;           ///< by window
  std::unordered_map<LocationRef, Open> open_;
};

}  // namespace tracer::report
