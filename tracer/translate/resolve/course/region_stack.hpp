// SPDX-License-Identifier: BSD-3-Clause
// The open regions of one task, outermost first, and which of them an end ends. Enter and Leave balance per task: what
// is still open when a task, a team or the trace ends is closed there and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/translate/regions/regions.hpp"
#include "tracer/translate/repairs.hpp"

namespace tracer::translate {

struct OpenRegion {
  OpenRegion(RegionRef ref, Construct what, bool is_wait, std::uint64_t at)
      : region(ref), construct(what), wait(is_wait), codeptr(at) {}
  RegionRef region;
  Construct construct;
  bool wait;
  std::uint64_t codeptr;
};

class RegionStack {
 public:
  bool empty() const noexcept { return open_.empty(); }
  std::size_t size() const noexcept { return open_.size(); }
  const OpenRegion& outermost() const noexcept { return open_.front(); }
  const OpenRegion& inner() const noexcept { return open_.back(); }
  /// count_ when nothing is open.
  Construct inner_construct() const noexcept { return open_.empty() ? Construct::count_ : open_.back().construct; }
  /// False: `sections` is not open, and a section is left out. That is counted.
  bool takes_section(Repairs& repairs) const noexcept;

  /// Its Enter was written.
  void push(const OpenRegion& region) {
    // Field by field: what is put together elsewhere and copied waits for its own stores.
    open_.emplace_back(region.region, region.construct, region.wait, region.codeptr);
  }
  /// Its Leave was.
  void pop() noexcept { open_.pop_back(); }
  void clear() noexcept { open_.clear(); }
  /// The ranges of the program's own words, when nothing else is open, are open in `outer` from now on. False: else.
  bool hand_ranges_to(RegionStack& outer);

  /// How many regions, innermost first, an end of the construct ends: the innermost such region and what is open inside
  /// it. 0: there is none, or only outside of the task's or the team's own region, which end with those. What is put
  /// right by that is counted; to pop() them is the caller's.
  std::size_t ended_by(Repairs& repairs, Construct construct, bool wait) const noexcept {
    if (!open_.empty() && inner().construct == construct && inner().wait == wait && !is_outermost(construct)) [[likely]]
      return 1;
    return ended_outside(repairs, construct, wait);
  }
  /// How many regions end when only the outermost `keep` stay; each that should have an end of its own counts as `why`.
  std::size_t closed(Repairs& repairs, std::size_t keep, std::optional<Repair> why) const noexcept {
    return open_.size() > keep ? closed_inside(repairs, keep, why) : 0;
  }

 private:
  /// Ends with its task or team, never by an end of its own.
  static constexpr bool is_outermost(Construct c) noexcept {
    return c == Construct::parallel || c == Construct::teams || c == Construct::task;
  }
  std::size_t closed_inside(Repairs& repairs, std::size_t keep, std::optional<Repair> why) const noexcept;
  std::size_t ended_outside(Repairs& repairs, Construct construct, bool wait) const noexcept;

  std::vector<OpenRegion> open_;
};

}  // namespace tracer::translate
