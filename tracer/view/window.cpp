// SPDX-License-Identifier: BSD-3-Clause
// See window.hpp.
#include "tracer/view/window.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tracer::view {
namespace {

/// Puts together what is shorter than `pixel` and nearer than that, under the name of the longest of them.
std::vector<Span> merged(const std::vector<Span>& row, std::uint64_t pixel) {
  std::vector<Span> out;
  std::uint64_t longest = 0;
  bool is_open = false;  // the last one takes more
  for (const Span& one : row) {
    const bool is_short = one.end - one.begin < pixel;
    if (is_short && is_open && one.begin < out.back().end + pixel && one.end - out.back().begin < 2 * pixel) {
      Span& last = out.back();
      if (one.end - one.begin > longest) {
        longest = one.end - one.begin;
        last.region = one.region;
      }
      last.end = one.end;
      last.count += one.count;
    } else {
      out.push_back(one);
      longest = one.end - one.begin;
      is_open = is_short;
    }
  }
  return out;
}

LaneWindow from_slices(const std::vector<index::Slice>& slices, std::uint64_t pixel, std::uint64_t width) {
  LaneWindow out;
  for (const index::Slice& one : slices) {
    if (one.depth >= out.rows.size()) out.rows.resize(one.depth + 1);
    out.rows[one.depth].push_back({one.begin, one.end, one.region, 1});
  }
  for (std::vector<Span>& row : out.rows) {
    if (row.size() <= width) continue;
    row = merged(row, pixel);
    out.is_merged = true;
  }
  return out;
}

/// Of each group and depth, under the name of what took most time: as wide as the time of all.
LaneWindow from_groups(const std::vector<index::Group>& groups) {
  LaneWindow out;
  out.is_exact = false;
  struct Most {
    std::uint64_t time = 0, most = 0, count = 0;
    RegionRef region = undefined_ref;
  };
  std::vector<Most> depths;
  for (const index::Group& group : groups) {
    out.events += group.events;
    depths.assign(depths.size(), {});
    for (const index::Sum& sum : group.sums) {
      if (sum.inclusive == 0) continue;
      if (sum.depth >= depths.size()) depths.resize(sum.depth + 1);
      Most& at = depths[sum.depth];
      at.time += sum.inclusive;
      at.count += sum.count;
      if (sum.inclusive > at.most) {
        at.most = sum.inclusive;
        at.region = sum.region;
      }
    }
    if (out.rows.size() < depths.size()) out.rows.resize(depths.size());
    for (std::size_t depth = 0; depth < depths.size(); ++depth) {
      const Most& at = depths[depth];
      if (at.time == 0) continue;
      const std::uint64_t end = std::min(group.begin + at.time, group.end);
      std::vector<Span>& row = out.rows[depth];
      if (!row.empty() && row.back().region == at.region && row.back().end == group.begin) {
        row.back().end = end;
        row.back().count += at.count;
      } else {
        row.push_back({group.begin, end, at.region, at.count});
      }
    }
  }
  return out;
}

bool may_read_events(const index::TraceIndex& index, LocationRef location, std::uint64_t from, std::uint64_t to,
                     std::size_t blocks) {
  constexpr std::size_t of_narrow_window = 2;  // it may have the end of one and the begin of the next
  return index.blocks_within(location, from, to) <= of_narrow_window ||
         are_few_events(index, {&location, 1}, from, to, blocks);
}

}  // namespace

/// A block has 16 KiB of the event file, but where many regions come at many depths up to 1 MiB.
bool are_few_events(const index::TraceIndex& index, std::span<const LocationRef> locations, std::uint64_t from,
                    std::uint64_t to, std::size_t blocks) {
  constexpr std::uint64_t usual_events = 2048;
  std::size_t within = 0;
  std::uint64_t events = 0;
  for (const LocationRef location : locations) {
    within += index.blocks_within(location, from, to);
    events += index.events_within(location, from, to);
    if (within > blocks || events > blocks * usual_events) return false;
  }
  return true;
}

LaneWindow window_of(index::TraceIndex& index, LocationRef location, std::uint64_t from, std::uint64_t to,
                     std::uint64_t width, std::size_t blocks) {
  const std::uint64_t pixel = std::max<std::uint64_t>(1, (to - from) / width);
  if (may_read_events(index, location, from, to, blocks))
    return from_slices(index.slices(location, from, to), pixel, width);
  return from_groups(index.groups(location, from, to, static_cast<std::size_t>(width)));
}

}  // namespace tracer::view
