// SPDX-License-Identifier: BSD-3-Clause
// What happened in the phases that the program named itself (NVTX, ITT, Kokkos, ROCTx, omp_control_tool).
#pragma once

#include <unordered_map>
#include <vector>

#include "tracer/replay/attributes.hpp"
#include "tracer/replay/open_copies.hpp"
#include "tracer/replay/per_location.hpp"
#include "tracer/replay/replay.hpp"
#include "tracer/report/measures/replacements.hpp"
#include "tracer/report/report.hpp"
#include "tracer/timeline.hpp"

namespace tracer::report {

/// An interval belongs to the phases that are open in its task, and in the tasks that made it or its team. So does what
/// is submitted to a device then, whenever that runs.
class Phases final : public Observer {
 public:
  /// `replacements` must observe the replay, before this.
  Phases(const Definitions& definitions, const Replay& replay, const Replacements& replacements);
  bool any() const noexcept { return any_; }
  void other_event(LocationRef location, const Event& event, std::span<const EventAttribute> attributes) override;
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  /// By total time.
  std::vector<PhaseRow> rows() const;

 private:
  struct Entry {
    bool is_phase = false;
    std::uint64_t count = 0, total = 0, longest = 0, shortest = ~std::uint64_t{0};
    ActivityTimes ns{};
    std::uint64_t operations = 0;
    PerLocation<std::uint64_t> work;
    std::uint64_t last_visit = 0;  ///< a phase inside itself is credited once
  };
  using Open = std::vector<RegionRef>;  ///< phases
  struct Copy {
    std::uint64_t begin = 0;
    Open phases;
  };
  /// Of each phase in which `task` works.
  template <class Body>
  void for_each_open(const Task& task, Body&& body);
  void device_operation(LocationRef location, std::uint64_t id);
  void credit(const Open& phases, std::uint64_t ns);

  const Definitions& definitions_;
  const Replay& replay_;
  const Replacements& replacements_;
  const HostOperationIds host_operations_;
  std::vector<Entry> entries_;
  std::uint64_t visits_ = 0;
  std::vector<bool> virtual_;                                     ///< by location: no thread
  std::unordered_map<OwnNumber, Open, OwnNumber::Hash> submits_;  ///< by process and host_op_id
  OpenCopies<Copy> copies_;
  std::vector<Open> running_;  ///< of each stream's operation
  bool any_ = false;
};

/// In it, at barriers, for tasks and for locks.
std::uint64_t waiting_of(const PhaseRow& row);
PhaseTotals totals_of(const PhaseRow& row);

}  // namespace tracer::report
