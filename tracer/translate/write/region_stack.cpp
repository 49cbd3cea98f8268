// SPDX-License-Identifier: BSD-3-Clause
// See region_stack.hpp.
#include "tracer/translate/write/region_stack.hpp"

#include <algorithm>

namespace tracer::translate {
namespace {

/// Whose end never comes: `single` in GCC's code, and the `masked` in which libomp's hidden helper threads wait for
/// work, whose position is the runtime's own.
constexpr bool is_endless(Construct c, std::uint64_t codeptr) noexcept {
  return c == Construct::single || c == Construct::single_sblock || (c == Construct::masked && codeptr == 0);
}

/// Ends with its task or team, never by an end of its own.
constexpr bool is_outermost(Construct c) noexcept {
  return c == Construct::parallel || c == Construct::teams || c == Construct::task;
}

}  // namespace

bool RegionStack::contains(Construct construct) const noexcept {
  return std::any_of(open_.begin(), open_.end(), [=](const OpenRegion& o) { return o.construct == construct; });
}

bool RegionStack::hand_ranges_to(RegionStack& outer) {
  const auto is_range = [](const OpenRegion& o) { return o.construct == Construct::range; };
  if (open_.empty() || !std::all_of(open_.begin(), open_.end(), is_range)) return false;
  outer.open_.insert(outer.open_.end(), open_.begin(), open_.end());
  open_.clear();
  return true;
}

void RegionStack::close(EventBuffer& out, Repairs& repairs, Nanoseconds t, std::size_t keep,
                        std::optional<Repair> why) {
  while (open_.size() > keep) {
    if (open_.back().construct == Construct::range) {
      repairs.note(Repair::range_without_end);
    } else if (why && !is_endless(open_.back().construct, open_.back().codeptr)) {
      repairs.note(*why);
    }
    out.add(t, EventType::leave, open_.back().region);
    open_.pop_back();
  }
}

bool RegionStack::leave(EventBuffer& out, Repairs& repairs, Nanoseconds t, Construct construct, bool wait) {
  for (std::size_t n = open_.size(); n-- > 0;) {
    if (is_outermost(open_[n].construct)) return false;
    if (open_[n].construct != construct || open_[n].wait != wait) continue;
    // What began inside and never ended (GCC's `single`) ends here.
    close(out, repairs, t, n + 1, Repair::region_closed_by_outer_end);
    out.add(t, EventType::leave, open_.back().region);
    open_.pop_back();
    return true;
  }
  return false;
}

}  // namespace tracer::translate
