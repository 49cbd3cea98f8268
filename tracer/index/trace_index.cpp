// SPDX-License-Identifier: BSD-3-Clause
// See trace_index.hpp.
#include "tracer/index/trace_index.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tracer/base/packed_numbers.hpp"
#include "tracer/error.hpp"

namespace tracer::index {
namespace {

/// A block's tasks that come from elsewhere, and those that are left in it.
class BlockShelf final : public TaskShelf {
 public:
  /// At the begin of a block.
  void begin(std::vector<Resumed> resumed) {
    resumed_ = std::move(resumed);
    next_ = 0;
    left_.clear();
  }
  /// Of the event that comes next.
  void at(std::uint64_t ordinal) { ordinal_ = ordinal; }
  void put(const Owner& task, std::vector<RegionRef> regions) override {
    left_.insert_or_assign(task, std::move(regions));
  }
  std::vector<RegionRef> take(const Owner& task) override {
    std::vector<RegionRef> regions;
    if (const auto mine = left_.find(task); mine != left_.end()) {
      regions = std::move(mine->second);
      left_.erase(mine);
    }
    while (next_ < resumed_.size() && resumed_[next_].ordinal < ordinal_) ++next_;
    if (next_ < resumed_.size() && resumed_[next_].ordinal == ordinal_) return resumed_[next_].regions;
    return regions;
  }

 private:
  std::vector<Resumed> resumed_;  ///< in their order
  std::size_t next_ = 0;
  std::map<Owner, std::vector<RegionRef>> left_;
  std::uint64_t ordinal_ = 0;
};

class SliceList final : public SliceSink {
 public:
  SliceList(std::uint64_t from, std::uint64_t to, std::vector<Slice>& out) : from_{from}, to_{to}, out_{out} {}
  void closed(std::uint32_t depth, const OpenRegion& one, std::uint64_t end) override {
    if (end >= from_ && one.begin <= to_) out_.push_back({depth, one.region, one.begin, end, one.continues});
  }

 private:
  std::uint64_t from_, to_;
  std::vector<Slice>& out_;
};

}  // namespace

TraceIndex::TraceIndex(std::unique_ptr<otf2::PositionedSource> source, std::shared_ptr<const Contents> contents)
    : source_{std::move(source)}, contents_{std::move(contents)} {
  const std::size_t locations = definitions().locations.size();
  for (LocationRef ref = 0; ref < locations; ++ref) files_.push_back(facts_of_file(event_file(ref)));
}

std::filesystem::path TraceIndex::event_file(LocationRef ref) const {
  return source_->info().event_file(source_->number_of(ref));
}

void TraceIndex::require_same_events(LocationRef ref) const {
  if (facts_of_file(event_file(ref)) != files_.at(ref)) refuse_changed_archive();
}

std::string_view TraceIndex::payload(const LocationIndex& of, std::size_t block) const {
  const auto at = static_cast<std::size_t>(place_at(of.places, block).payload);
  return of.payloads.substr(at, static_cast<std::size_t>(place_at(of.places, block + 1).payload) - at);
}

/// `level` from 1 on.
std::string_view TraceIndex::node(const LocationIndex& of, std::size_t level, std::size_t index) const {
  for (std::size_t i = 1; i < level; ++i) index += static_cast<std::size_t>(of.level_nodes[i - 1]);
  BytesIn in{of.nodes.substr(8 * index)};
  const auto at = static_cast<std::size_t>(in.word());
  return of.payloads.substr(at, static_cast<std::size_t>(in.word()) - at);
}

std::size_t TraceIndex::block_at(const LocationIndex& of, std::uint64_t time) {
  std::size_t low = 0, high = static_cast<std::size_t>(of.blocks);
  while (low + 1 < high) {
    const std::size_t middle = (low + high) / 2;
    (place_at(of.places, middle).time <= time ? low : high) = middle;
  }
  return low;
}

std::size_t TraceIndex::blocks_within(LocationRef ref, std::uint64_t from, std::uint64_t to) const {
  const LocationIndex& of = location(ref);
  if (of.blocks == 0 || to < of.first) return 0;
  return block_at(of, to) - block_at(of, from) + 1;
}

std::uint64_t TraceIndex::events_within(LocationRef ref, std::uint64_t from, std::uint64_t to) const {
  if (blocks_within(ref, from, to) == 0) return 0;
  const LocationIndex& of = location(ref);
  return place_at(of.places, block_at(of, to) + 1).ordinal - place_at(of.places, block_at(of, from)).ordinal;
}

void TraceIndex::replay(LocationRef ref, std::size_t first, std::size_t last, SliceSink& sink, const See& begin,
                        const See& end) {
  require_same_events(ref);
  const LocationIndex& of = location(ref);
  const BlockPlace place = place_at(of.places, first);
  Lane lane{lane_names_of(definitions(), ref)};
  BlockShelf shelf;
  std::size_t block = first;
  std::uint64_t ordinal = place.ordinal, block_begin = ordinal, block_end = ordinal, time = place.time;
  const std::uint64_t behind = place_at(of.places, last + 1).ordinal;
  const auto begin_block = [&] {
    Block contents = block_of(payload(of, block), place_at(of.places, block).time);
    if (block == first) lane.state = std::move(contents.state);
    shelf.begin(std::move(contents.resumed));
    block_begin = block_end;
    block_end = place_at(of.places, ++block).ordinal;
  };
  begin_block();
  if (begin) begin(lane.state);
  source_->read_from(ref, place.position, [&](std::span<const Event> list, std::span<const EventAttribute>) {
    for (const Event& one : list) {
      if (ordinal == behind) return false;
      while (ordinal == block_end) begin_block();
      shelf.at(ordinal++ - block_begin);
      Event event = one;
      event.time = time = std::max(one.time, time);
      lane.step(event, shelf, sink);
    }
    return ordinal != behind;
  });
  if (ordinal != behind) throw Error{"the archive's events differ from its index"};
  if (end) end(lane.state);
}

std::vector<Slice> TraceIndex::slices(LocationRef ref, std::uint64_t from, std::uint64_t to) {
  std::vector<Slice> out;
  const LocationIndex& of = location(ref);
  if (blocks_within(ref, from, to) == 0) return out;
  // A slice that ends where a block begins, at `from`, is in the block before.
  std::size_t block = block_at(of, from);
  while (block > 0 && place_at(of.places, block).time == from) --block;
  const std::size_t last = block_at(of, to);
  SliceList list{from, to, out};
  replay(ref, block, last, list, {}, [&](const LaneState& state) {
    for (std::size_t i = state.open.size(); i-- > 0;)
      if (state.open[i].begin <= to)
        list.closed(static_cast<std::uint32_t>(i), state.open[i], end_of(ref, last + 1, i, state.open[i]));
  });
  return out;
}

void TraceIndex::innermost(LocationRef ref, std::uint64_t from, std::uint64_t to, const VisitInnermost& visit) {
  if (from >= to || blocks_within(ref, from, to) == 0) return;
  struct Innermost final : SliceSink {
    std::uint64_t since, until;
    const VisitInnermost& visit;
    std::vector<RegionRef> open;
    Innermost(std::uint64_t from, std::uint64_t to, const VisitInnermost& of) : since{from}, until{to}, visit{of} {}
    void go_on(std::uint64_t time) {
      time = std::min(time, until);
      if (time <= since) return;
      if (!open.empty()) visit(open.back(), since, time);
      since = time;
    }
    void opened(std::uint32_t depth, const OpenRegion& one) override {
      go_on(one.begin);
      open.resize(depth);
      open.push_back(one.region);
    }
    void closed(std::uint32_t depth, const OpenRegion&, std::uint64_t end) override {
      go_on(end);
      open.resize(depth);
    }
  } sink{from, to, visit};
  const LocationIndex& of = location(ref);
  const std::size_t last = block_at(of, to);
  replay(ref, block_at(of, from), last, sink,
         [&](const LaneState& state) {
           for (const OpenRegion& one : state.open) sink.open.push_back(one.region);
         },
         {});
  sink.go_on(place_at(of.places, last + 1).time);  // of the last block: the trace's end
}

/// Of what is open where `block` begins: found by the states at the begins of later blocks.
std::uint64_t TraceIndex::end_of(LocationRef ref, std::size_t block, std::size_t depth, const OpenRegion& one) {
  const LocationIndex& of = location(ref);
  const auto is_open = [&](std::size_t at) {
    const LaneState state = block_of(payload(of, at), place_at(of.places, at).time).state;
    return depth < state.open.size() && state.open[depth].begin == one.begin && state.open[depth].region == one.region;
  };
  std::size_t low = block, high = static_cast<std::size_t>(of.blocks);  // open at the begin of low - 1, not at high's
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (is_open(middle))
      low = middle + 1;
    else
      high = middle;
  }
  struct End final : SliceSink {
    const OpenRegion& of;
    std::uint32_t depth;
    std::uint64_t end = 0;
    bool is_found = false;
    End(const OpenRegion& region, std::uint32_t at) : of{region}, depth{at} {}
    void closed(std::uint32_t at, const OpenRegion& region, std::uint64_t time) override {
      if (is_found || at != depth || region.begin != of.begin || region.region != of.region) return;
      end = time;
      is_found = true;
    }
  } found{one, static_cast<std::uint32_t>(depth)};
  if (low > block) replay(ref, low - 1, low - 1, found, {}, {});  // else nothing closes it
  return std::max(one.begin, found.is_found ? found.end : contents_->header().last);
}

void TraceIndex::add_blocks(const LocationIndex& of, std::size_t from, std::size_t to, Sums& sums) const {
  while (from < to) {
    std::size_t level = 0, span = 1;
    while (level < of.level_nodes.size() && from % (span * fan_out) == 0 && from + span * fan_out <= to) {
      span *= fan_out;
      ++level;
    }
    index::add_sums(level == 0 ? payload(of, from) : node(of, level, from / span), sums);
    from += span;
  }
}

std::vector<Group> TraceIndex::groups(LocationRef ref, std::uint64_t from, std::uint64_t to, std::size_t most) const {
  std::vector<Group> out;
  const std::size_t count = blocks_within(ref, from, to);
  if (count == 0) return out;
  const LocationIndex& of = location(ref);
  // A power of two many, from a multiple of it on: the same groups while the window moves.
  std::size_t each = 1;
  while (count / each + 2 > std::max<std::size_t>(most, 3)) each *= 2;
  const std::size_t last = block_at(of, to);
  for (std::size_t block = block_at(of, from) / each * each; block <= last; block += each) {
    const std::size_t end = std::min<std::size_t>(block + each, static_cast<std::size_t>(of.blocks));
    Sums sums;
    add_blocks(of, block, end, sums);
    const BlockPlace a = place_at(of.places, block), b = place_at(of.places, end);
    out.push_back({a.time, b.time, b.ordinal - a.ordinal, sums.list()});
  }
  return out;
}

void TraceIndex::add_sums(LocationRef ref, std::uint64_t from, std::uint64_t to, Sums& sums) {
  const LocationIndex& of = location(ref);
  if (from >= to || blocks_within(ref, from, to) == 0) return;
  std::size_t first = block_at(of, from);
  while (first > 0 && place_at(of.places, first).time == from) --first;  // events of that very time
  const std::size_t last = block_at(of, to);
  const auto part = [&](std::size_t block) {
    const std::uint64_t end = place_at(of.places, block + 1).time, begin = place_at(of.places, block).time;
    std::unique_ptr<Summer> summer;
    struct Forward final : SliceSink {
      std::unique_ptr<Summer>& to;
      explicit Forward(std::unique_ptr<Summer>& summer) : to{summer} {}
      void opened(std::uint32_t depth, const OpenRegion& one) override { to->opened(depth, one); }
      void closed(std::uint32_t depth, const OpenRegion& one, std::uint64_t at) override { to->closed(depth, one, at); }
    } forward{summer};
    replay(
        ref, block, block, forward,
        [&](const LaneState& state) { summer = std::make_unique<Summer>(state, std::max(from, begin), to, sums); },
        [&](const LaneState& state) { summer->finish(state, std::min(end, to)); });
  };
  for (std::size_t block = first; block <= last;) {
    const std::uint64_t begin = place_at(of.places, block).time;
    if (begin < from || block == last || place_at(of.places, block + 1).time >= to) {
      part(block++);
      continue;
    }
    std::size_t end = block;  // whole blocks
    while (end < last && place_at(of.places, end + 1).time < to) ++end;
    add_blocks(of, block, end, sums);
    block = end;
  }
}

void TraceIndex::events(LocationRef ref, std::uint64_t from, const Visit& visit) {
  const LocationIndex& of = location(ref);
  if (of.blocks == 0) return;
  require_same_events(ref);
  std::size_t block = block_at(of, from);
  while (block > 0 && place_at(of.places, block).time == from) --block;
  source_->read_from(ref, place_at(of.places, block).position,
                     [&](std::span<const Event> list, std::span<const EventAttribute> attributes) {
                       for (const Event& one : list) {
                         const auto own = attributes.first(one.attributes);
                         attributes = attributes.subspan(one.attributes);
                         if (one.time >= from && !visit(one, own)) return false;
                       }
                       return true;
                     });
}

}  // namespace tracer::index
