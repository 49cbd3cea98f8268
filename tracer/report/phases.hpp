// SPDX-License-Identifier: BSD-3-Clause
// What happened in the phases that the program named itself (NVTX, ITT, Kokkos, ROCTx, omp_control_tool).
#pragma once

#include <map>
#include <vector>

#include "tracer/report/replay.hpp"
#include "tracer/report/report.hpp"
#include "tracer/report/table.hpp"

namespace tracer::report {

/// An interval belongs to the phases that are open in its task, and in the tasks that made it or its team.
class Phases final : public Observer {
 public:
  explicit Phases(const Definitions& definitions);
  bool any() const noexcept { return any_; }
  void interval(LocationRef location, Task& task, Activity activity, std::uint64_t from, std::uint64_t to) override;
  void leave(LocationRef location, Task& task, const Frame& frame, std::uint64_t time) override;
  void fill(Report& report) const;

 private:
  struct Entry {
    bool is_phase = false;
    std::uint64_t count = 0, total = 0, longest = 0, shortest = ~std::uint64_t{0};
    ActivityTimes ns{};
    std::map<LocationRef, std::uint64_t> work;
    std::uint64_t last_interval = 0;  ///< a phase inside itself is credited once
  };
  const Definitions& definitions_;
  std::vector<Entry> entries_;
  std::uint64_t intervals_ = 0;
  std::vector<bool> virtual_;  ///< by location: no thread
  bool any_ = false;
};

Table phase_table(const Report& report);

}  // namespace tracer::report
