// SPDX-License-Identifier: BSD-3-Clause
// What the decisions along one thread refer to, and the count of what they put right.
#pragma once

#include <cstdint>

#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// What threads do together: even over all of them, unless they contradict each other or the trace ends in between.
struct Balance {
  std::uint64_t tasks = 0;    ///< created, less completed
  std::uint64_t singles = 0;  ///< by position: executed, for each other member of the team, less passed by
  void add(const Balance& other) noexcept {
    tasks += other.tasks;
    singles += other.singles;
  }
  bool is_even() const noexcept { return tasks == 0 && singles == 0; }
};

/// One channel, in the tables of all. Whoever made it keeps the tables and the clock.
struct ChannelView {
  ChannelView(const Tables& all, const ClockFit& fit, ChannelId which) : tables(all), clock(fit), channel(which) {}

  const ChannelScan& scan() const noexcept { return tables.channels[channel]; }
  const Plan& plan() const noexcept { return tables.plans[channel]; }
  void note(Repair repair) noexcept { repairs.note(repair); }
  /// The communicator of an MPI record. undefined_ref: unknown, and counted.
  CommRef comm_of(const Record& r) noexcept {
    const CommRef comm = r.a < tables.mpi_comms.size() ? tables.mpi_comms[r.a] : undefined_ref;
    if (comm == undefined_ref) note(Repair::mpi_event_unknown);
    return comm;
  }

  const Tables& tables;
  const ClockFit& clock;
  const ChannelId channel;
  Repairs repairs;
  Balance balance;
};

}  // namespace tracer::translate
