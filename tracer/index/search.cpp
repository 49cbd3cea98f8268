// SPDX-License-Identifier: BSD-3-Clause
// The next and the previous time at which a region is entered: the sums show in which blocks to look.
#include <algorithm>

#include "tracer/index/trace_index.hpp"

namespace tracer::index {
namespace {

/// The first that fits, or the last. Those that must be long are known when they are closed.
class Enters final : public SliceSink {
 public:
  Enters(LocationRef location, const TraceIndex::Sought& what, bool is_last)
      : location_{location}, what_{what}, is_last_{is_last} {}
  void opened(std::uint32_t depth, const OpenRegion& one) override {
    if (is_wanted(one) && what_.least == 0) consider(depth, one);
  }
  void closed(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) override {
    if (is_wanted(one) && what_.least != 0 && end - one.begin >= what_.least) consider(depth, one);
  }
  bool is_wanted(const OpenRegion& one) const {
    return one.region < what_.regions.size() && what_.regions[one.region] && !one.continues &&
           one.begin > what_.after && one.begin < what_.before;
  }
  std::optional<TraceIndex::Found> found;

 private:
  void consider(std::uint32_t depth, const OpenRegion& one) {
    if (found && (is_last_ ? one.begin < found->time : one.begin >= found->time)) return;
    found = TraceIndex::Found{location_, one.region, one.begin, depth};
  }
  LocationRef location_;
  const TraceIndex::Sought& what_;
  bool is_last_;
};

}  // namespace

bool TraceIndex::has_any(std::string_view payload, const std::vector<bool>& regions) const {
  Sums sums;
  index::add_sums(payload, sums);
  return std::any_of(sums.list().begin(), sums.list().end(), [&](const Sum& sum) {
    return sum.count != 0 && sum.region < regions.size() && regions[sum.region];
  });
}

std::optional<TraceIndex::Found> TraceIndex::one_in(LocationRef ref, std::size_t block, const Sought& what,
                                                    bool is_last) {
  const LocationIndex& of = location(ref);
  if (!has_any(payload(of, block), what.regions)) return std::nullopt;
  Enters enters{ref, what, is_last};
  const std::uint64_t begin = place_at(of.places, block).time;
  std::vector<OpenRegion> open;  // behind the block
  replay(ref, block, block, enters, {}, [&](const LaneState& state) { open = state.open; });
  if (what.least != 0)
    for (std::size_t depth = 0; depth < open.size(); ++depth)
      if (open[depth].begin >= begin && enters.is_wanted(open[depth]))
        enters.closed(static_cast<std::uint32_t>(depth), open[depth], end_of(ref, block + 1, depth, open[depth]));
  return enters.found;
}

std::optional<TraceIndex::Found> TraceIndex::next(const Sought& what) {
  std::optional<Found> best;
  Sought sought = what;
  for (LocationRef ref = 0; ref < what.locations.size(); ++ref) {
    const LocationIndex& of = location(ref);
    if (!what.locations[ref] || of.blocks == 0) continue;
    for (std::size_t block = block_at(of, what.after); block < of.blocks;) {
      if (place_at(of.places, block).time >= sought.before) break;
      // Where nothing of a node's is wanted, all of it is left out.
      std::size_t level = 0, span = 1;
      while (level < of.level_nodes.size() && block % (span * fan_out) == 0) {
        span *= fan_out;
        ++level;
      }
      while (level > 0 && has_any(node(of, level, block / span), what.regions)) {
        span /= fan_out;
        --level;
      }
      if (level > 0) {
        block += span;
        continue;
      }
      if (const std::optional<Found> found = one_in(ref, block, sought, false)) {
        best = found;
        sought.before = found->time;
        break;
      }
      ++block;
    }
  }
  return best;
}

std::optional<TraceIndex::Found> TraceIndex::previous(const Sought& what) {
  std::optional<Found> best;
  if (what.before == 0) return best;
  Sought sought = what;
  for (LocationRef ref = 0; ref < what.locations.size(); ++ref) {
    const LocationIndex& of = location(ref);
    if (!what.locations[ref] || of.blocks == 0 || of.first >= what.before) continue;
    for (std::size_t block = block_at(of, what.before - 1) + 1; block-- > 0;) {
      if (place_at(of.places, block + 1).time <= sought.after && sought.after != 0) break;
      if (const std::optional<Found> found = one_in(ref, block, sought, true)) {
        best = found;
        sought.after = found->time;
        break;
      }
    }
  }
  return best;
}

}  // namespace tracer::index
