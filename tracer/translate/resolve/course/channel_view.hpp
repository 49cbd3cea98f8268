// SPDX-License-Identifier: BSD-3-Clause
// What the decisions along one thread refer to, and the count of what they put right.
#pragma once

#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/repairs.hpp"
#include "tracer/translate/resolve/tables.hpp"

namespace tracer::translate {

/// One channel, in the tables of all. Whoever made it keeps the tables and the clock.
struct ChannelView {
  ChannelView(const Tables& all, const ClockFit& fit, ChannelId which) : tables(all), clock(fit), channel(which) {}

  const ChannelScan& scan() const noexcept { return tables.channels[channel]; }
  const Plan& plan() const noexcept { return tables.plans[channel]; }
  void note(Repair repair) noexcept { repairs.note(repair); }
  /// The communicator of an MPI record. undefined_ref: nothing is known of it, which is counted.
  CommRef comm_of(const Record& r) noexcept {
    const CommRef comm = r.a < tables.mpi_comms.size() ? tables.mpi_comms[r.a] : undefined_ref;
    if (comm == undefined_ref) note(Repair::mpi_event_unknown);
    return comm;
  }

  const Tables& tables;
  const ClockFit& clock;
  const ChannelId channel;
  Repairs repairs;
};

}  // namespace tracer::translate
