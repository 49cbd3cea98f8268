// SPDX-License-Identifier: BSD-3-Clause
// Most records do what the last one of their kind and endpoint did: enter a region, or leave the innermost. Whole runs
// of those are written here. Each is held against what it depends on - the record's own fields, the innermost region,
// and the time until which nothing else is due - and the first that differs goes the common way.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "tracer/ompt_values.hpp"
#include "tracer/repeats.hpp"
#include "tracer/translate/clock_fit.hpp"
#include "tracer/translate/regions/constructs.hpp"
#include "tracer/translate/resolve/course/region_stack.hpp"
#include "tracer/translate/write/event_buffer.hpp"
#include "tracer/translate/write/region_events.hpp"

namespace tracer::translate {

class FastPath {
 public:
  bool has_action(const Record& r) const noexcept { return actions_[Repeats::index(r)].does != Action::nothing; }

  /// The record entered the site's region, or left it.
  void learn(const Record& r, const Site& site) {
    if (r.sub == sync_kind::taskgroup || is_loop_without_codeptr(r)) return;  // PositionMender looks at each
    const bool enters = r.endpoint == Endpoint::begin;
    if (enters && site.region == undefined_ref) return;
    actions_[Repeats::index(r)] = {r.c,           enters ? site.region : undefined_ref,    r.sub, site.key.construct,
                                   site.key.wait, enters ? Action::enters : Action::leaves};
  }

  /// Writes records from the batch's front on, and returns how many. From `until` on something else is due.
  std::size_t write(std::span<const Record> batch, Ticks until, const ClockFit& clock, RegionStack& open,
                    EventBuffer& out) const;

 private:
  struct Action {
    std::uint64_t codeptr = 0;
    RegionRef region = undefined_ref;
    std::uint16_t sub = 0;
    Construct construct = Construct::count_;
    bool wait = false;
    enum Does : std::uint8_t { nothing, enters, leaves } does = nothing;
  };
  std::array<Action, 256> actions_{};  ///< by Repeats::index
};

}  // namespace tracer::translate
