// SPDX-License-Identifier: BSD-3-Clause
// The next and the previous time at which a region is entered: the sums say in which blocks to look.
#include <algorithm>

#include "tracer/index/trace_index.hpp"

namespace tracer::index {
namespace {

class Enters final : public SliceSink {
 public:
  Enters(LocationRef location, const std::vector<bool>& regions, std::uint64_t after, std::uint64_t before,
         bool is_last)
      : location_{location}, regions_{regions}, after_{after}, before_{before}, is_last_{is_last} {}
  void opened(std::uint32_t depth, const OpenRegion& one) override {
    const bool is_wanted = one.region < regions_.size() && regions_[one.region] && !one.continues;
    if (!is_wanted || one.begin <= after_ || one.begin >= before_ || (found && !is_last_)) return;
    found = TraceIndex::Found{location_, one.region, one.begin, depth};
  }
  std::optional<TraceIndex::Found> found;

 private:
  LocationRef location_;
  const std::vector<bool>& regions_;
  std::uint64_t after_, before_;
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

std::optional<TraceIndex::Found> TraceIndex::first_in(LocationRef ref, std::size_t block,
                                                      const std::vector<bool>& regions, std::uint64_t after,
                                                      std::uint64_t before, bool is_last) {
  const LocationIndex& of = location(ref);
  if (!has_any(payload(of, block), regions)) return std::nullopt;
  Enters enters{ref, regions, after, before, is_last};
  replay(ref, block, block, enters, {}, {});
  return enters.found;
}

std::optional<TraceIndex::Found> TraceIndex::next(const std::vector<bool>& regions, std::uint64_t after,
                                                  const std::vector<bool>& locations) {
  std::optional<Found> best;
  std::uint64_t before = ~std::uint64_t{0};
  for (LocationRef ref = 0; ref < locations.size(); ++ref) {
    const LocationIndex& of = location(ref);
    if (!locations[ref] || of.blocks == 0) continue;
    for (std::size_t block = block_at(of, after); block < of.blocks;) {
      if (place_at(of.places, block).time >= before) break;
      // Where nothing of a node's is wanted, all of it is left out.
      std::size_t level = 0, span = 1;
      while (level < of.level_nodes.size() && block % (span * fan_out) == 0) {
        span *= fan_out;
        ++level;
      }
      while (level > 0 && has_any(node(of, level, block / span), regions)) {
        span /= fan_out;
        --level;
      }
      if (level > 0) {
        block += span;
        continue;
      }
      if (const std::optional<Found> found = first_in(ref, block, regions, after, before, false)) {
        best = found;
        before = found->time;
        break;
      }
      ++block;
    }
  }
  return best;
}

std::optional<TraceIndex::Found> TraceIndex::previous(const std::vector<bool>& regions, std::uint64_t before,
                                                      const std::vector<bool>& locations) {
  std::optional<Found> best;
  if (before == 0) return best;
  for (LocationRef ref = 0; ref < locations.size(); ++ref) {
    const LocationIndex& of = location(ref);
    if (!locations[ref] || of.blocks == 0 || of.first >= before) continue;
    const std::uint64_t after = best ? best->time : 0;
    for (std::size_t block = block_at(of, before - 1) + 1; block-- > 0;) {
      if (place_at(of.places, block + 1).time <= after && best) break;
      if (const std::optional<Found> found = first_in(ref, block, regions, after, before, true)) {
        best = found;
        break;
      }
    }
  }
  return best;
}

}  // namespace tracer::index
