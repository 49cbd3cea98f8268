// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions and leagues: fork, team begin and end, join - and the ends that come late.
#pragma once

#include <cstddef>

#include "tracer/translate/scan/nesting.hpp"
#include "tracer/translate/write/context.hpp"
#include "tracer/translate/write/mark_events.hpp"
#include "tracer/translate/write/nest.hpp"
#include "tracer/translate/write/region_events.hpp"
#include "tracer/translate/write/task_events.hpp"
#include "tracer/translate/write/work_events.hpp"

namespace tracer::translate {

class TeamEvents final : Nesting::Listener {
 public:
  TeamEvents(Context& context, Nest& nest, RegionEvents& regions, TaskEvents& tasks, MarkEvents& marks,
             WorkEvents& work)
      : context_(context),
        nest_(nest),
        regions_(regions),
        tasks_(tasks),
        marks_(marks),
        work_(work),
        nesting_(context.channel, *this) {}

  void parallel(const Record& r, Nanoseconds t);
  void part(const Record& r, Nanoseconds t);

  /// A fork and its team's begin are one to a reader, as are its end and the join: no event may come between. `r` is
  /// what comes now.
  void complete_boundary(const Record& r, Nanoseconds t) {
    now_ = t;
    nesting_.complete_boundary(r);
  }
  bool is_at_boundary() const noexcept { return nesting_.is_at_boundary(); }
  /// The same for an event that no record tells, at a boundary whose next record is still to come.
  void complete_boundary(Nanoseconds t);
  /// The record's time, or the master's when it came late.
  Ticks due(const Record& r) const noexcept {
    return r.endpoint == Endpoint::begin || nest_.parts.empty() || nest_.parts.back().instance->rank == 0 ? r.time
                                                                                                          : due_late(r);
  }
  /// Up to this time due() is the record's time.
  Ticks on_time_until() const noexcept;
  /// Ends what must have ended by then.
  void end_by_limit(Ticks limit);
  /// All that is open at the trace's end is closed, from `t` on; what is outside of all teams may end at what it
  /// returns.
  Nanoseconds end_all(Nanoseconds t);
  /// Tasks of a creator (an implicit instance, or none) that nobody ever ran.
  void end_unstarted(std::uint32_t creator, Nanoseconds t);

 private:
  Ticks due_late(const Record& r) const noexcept;
  void forked(const Record& r) override;
  void begun(const PartBegin& part, const Record& r) override;
  void told(std::size_t, const Record&) override {}
  void ended(EndCause cause, const Record& r) override;
  void joined(EndCause cause, const Record& r) override;
  void ignored(const Record& r) override;

  void enter(const ImplicitInstance* instance, const ParallelInstance* p, bool own, Nanoseconds t);
  void enter_own(const ImplicitInstance* instance, Nanoseconds t);
  void join(Nanoseconds t) { join(t, t); }
  /// `of_part`: the master's part, where that never began.
  void join(Nanoseconds t, Nanoseconds of_part);
  class EndTimes;
  void join_to(std::size_t forks, const EndTimes& times, Nanoseconds latest, Repair why);
  void end_to(std::size_t depth, const EndTimes& times);
  void end_untold(Nanoseconds t);
  Nanoseconds left_by(const Part& part, Nanoseconds t) const;
  void leave_join_barrier(const Part& part, Nanoseconds end);
  void close_part(Nanoseconds t, bool repaired);

  Context& context_;
  Nest& nest_;
  RegionEvents& regions_;
  TaskEvents& tasks_;
  MarkEvents& marks_;
  WorkEvents& work_;
  Nesting nesting_;
  Nanoseconds now_ = 0;            ///< of the record that the nesting is shown
  std::size_t next_implicit_ = 0;  ///< of the channel's, in the order of their begins
};

}  // namespace tracer::translate
