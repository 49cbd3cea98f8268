// SPDX-License-Identifier: BSD-3-Clause
// See fast_path.hpp.
#include "tracer/translate/write/fast_path.hpp"

namespace tracer::translate {

std::size_t FastPath::write(std::span<const Record> batch, Ticks until, const ClockFit& clock, RegionStack& open,
                            EventBuffer& out) const {
  std::size_t done = 0;
  for (const Record& r : batch) {
    const Action& action = actions_[Repeats::index(r)];
    if (action.does == Action::nothing || action.codeptr != r.c || action.sub != r.sub || r.time >= until) break;
    const bool same = !open.empty() && open.inner().construct == action.construct;
    const Nanoseconds t = clock(r.time);
    if (action.does == Action::enters) {
      // What WorkEvents::sync() checks in the innermost region: does it end here, does it give the position?
      if (open.inner_construct() == Construct::single_sblock) break;
      if (action.wait && same && open.inner().codeptr != action.codeptr) break;
      out.enter(t, action.region);
      open.push({action.region, action.construct, action.wait, action.codeptr});
    } else {
      if (!same || open.inner().wait != action.wait) break;
      out.leave(t, open.inner().region);
      open.pop();
    }
    ++done;
  }
  return done;
}

}  // namespace tracer::translate
