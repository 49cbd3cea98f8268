// SPDX-License-Identifier: BSD-3-Clause
// See region_stack.hpp.
#include "tracer/translate/resolve/course/region_stack.hpp"

#include <algorithm>

namespace tracer::translate {
namespace {

/// Whose end never comes: `single` in GCC's code, and the `masked` in which libomp's hidden helper threads wait for
/// work, whose position is the runtime's own.
constexpr bool is_endless(Construct c, std::uint64_t codeptr) noexcept {
  return c == Construct::single || c == Construct::single_sblock || (c == Construct::masked && codeptr == 0);
}

}  // namespace

bool RegionStack::takes_section(Repairs& repairs) const noexcept {
  const bool takes =
      std::any_of(open_.begin(), open_.end(), [](const OpenRegion& o) { return o.construct == Construct::sections; });
  if (!takes) repairs.note(Repair::section_outside_sections);
  return takes;
}

bool RegionStack::hand_ranges_to(RegionStack& outer) {
  const auto is_range = [](const OpenRegion& o) { return o.construct == Construct::range; };
  if (open_.empty() || !std::all_of(open_.begin(), open_.end(), is_range)) return false;
  outer.open_.insert(outer.open_.end(), open_.begin(), open_.end());
  open_.clear();
  return true;
}

std::size_t RegionStack::closed_inside(Repairs& repairs, std::size_t keep, std::optional<Repair> why) const noexcept {
  for (std::size_t n = keep; n < open_.size(); ++n) {
    if (open_[n].construct == Construct::range) {
      repairs.note(Repair::range_without_end);
    } else if (why && !is_endless(open_[n].construct, open_[n].codeptr)) {
      repairs.note(*why);
    }
  }
  return open_.size() - keep;
}

std::size_t RegionStack::ended_outside(Repairs& repairs, Construct construct, bool wait) const noexcept {
  for (std::size_t n = open_.size(); n-- > 0 && !is_outermost(open_[n].construct);)
    if (open_[n].construct == construct && open_[n].wait == wait)
      return closed(repairs, n + 1, Repair::region_closed_by_outer_end) +
             1;  // what never ended inside (GCC's `single`)
  repairs.note(Repair::end_without_begin);
  return 0;
}

}  // namespace tracer::translate
