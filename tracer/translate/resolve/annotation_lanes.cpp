// SPDX-License-Identifier: BSD-3-Clause
// Pairs begins and ends over all threads, and lays the ranges out.
#include "tracer/translate/resolve/annotation_lanes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "tracer/base/text.hpp"
#include "tracer/virtual_location.hpp"

namespace tracer::translate {
namespace {

/// Of a program that begins ranges and never ends them there may be many; further ones are left out, and counted.
constexpr std::size_t most_lanes = 256;

std::vector<RangeEdge> edges_of(const Tables& tables) {
  std::vector<RangeEdge> edges;
  for (const ChannelScan& scan : tables.channels)
    edges.insert(edges.end(), scan.words.edges.begin(), scan.words.edges.end());
  std::stable_sort(edges.begin(), edges.end(), [](const RangeEdge& a, const RangeEdge& b) { return a.time < b.time; });
  return edges;
}

void pair_up(const Tables& tables, std::vector<AnnotationRange>& ranges, Repairs& repairs) {
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::size_t> open;  // by language and id
  for (const RangeEdge& edge : edges_of(tables)) {
    const auto key = std::pair(static_cast<std::uint16_t>(edge.sub & 0xf), edge.id);
    const auto begun = open.find(key);
    if (edge.begins) {
      if (begun != open.end()) repairs.note(Repair::range_without_end);  // the id is used again: it ends here
      if (begun != open.end()) ranges[begun->second].end = edge.time;
      open[key] = ranges.size();
      ranges.push_back({edge.time, tables.end, edge.name, edge.payload, edge.details, edge.sub});
    } else if (begun == open.end()) {
      repairs.note(Repair::range_end_without_begin);
    } else {
      ranges[begun->second].end = edge.time;
      open.erase(begun);
    }
  }
  repairs.note(Repair::range_without_end, open.size());
}

class Lanes {
 public:
  /// The first on which the range nests; nullptr: there is none, and no more are to be had.
  AnnotationLane* take(const AnnotationRange& range) {
    for (Lane& lane : lanes_) {
      while (!lane.open.empty() && lane.open.back() <= range.begin) lane.open.pop_back();
      if (!lane.open.empty() && lane.open.back() < range.end) continue;
      lane.open.push_back(range.end);
      return &lane.lane;
    }
    if (lanes_.size() >= most_lanes) return nullptr;
    lanes_.emplace_back().open.push_back(range.end);
    return &lanes_.back().lane;
  }
  template <class Body>
  void for_each(Body&& body) {
    for (Lane& lane : lanes_) body(lane.lane);
  }

 private:
  struct Lane {
    AnnotationLane lane;
    std::vector<Ticks> open;  // ends of what is open, outer ones first
  };
  std::vector<Lane> lanes_;
};

std::string name_of(std::uint16_t language, std::uint32_t domain, const Journal& journal) {
  std::string name = language_name(language);
  const auto text = journal.strings.find(domain);
  if (text != journal.strings.end() && !text->second.empty() && text->second != name) name += " " + shown(text->second);
  return name;
}

}  // namespace

std::vector<AnnotationLane> lay_out_ranges(const Tables& tables, std::vector<AnnotationRange> strays,
                                           const Journal& journal, Definitions& definitions, Repairs& repairs) {
  std::vector<AnnotationRange> ranges = std::move(strays);
  pair_up(tables, ranges, repairs);
  std::erase_if(ranges, [&](const AnnotationRange& range) { return tables.paused(range.begin, range.end); });
  std::sort(ranges.begin(), ranges.end(), [](const AnnotationRange& a, const AnnotationRange& b) {
    return std::tie(a.begin, b.end, a.name) < std::tie(b.begin, a.end, b.name);
  });
  std::map<std::pair<std::uint16_t, std::uint32_t>, Lanes> by_domain;
  for (const AnnotationRange& range : ranges) {
    const auto domain =
        std::pair(static_cast<std::uint16_t>(range.sub & 0xf), static_cast<std::uint32_t>(range.name >> 32));
    AnnotationLane* lane = by_domain[domain].take(range);
    lane != nullptr ? lane->ranges.push_back(range) : repairs.note(Repair::range_left_out);
  }
  std::vector<AnnotationLane> result;
  std::map<std::string, unsigned> names;  // domains, and threads, may be called the same
  for (const Location& location : definitions.locations) ++names[location.name];
  for (auto& [domain, lanes] : by_domain) {
    lanes.for_each([&, key = domain](AnnotationLane& lane) {
      Location location;
      location.name = name_of(key.first, key.second, journal);
      if (const unsigned n = ++names[location.name]; n > 1) location.name += " (" + std::to_string(n) + ")";
      location.properties.push_back({virtual_location, "ranges that overlap or change their thread"});
      lane.location = static_cast<LocationRef>(definitions.locations.size());
      definitions.locations.push_back(std::move(location));
      result.push_back(std::move(lane));
    });
  }
  return result;
}

}  // namespace tracer::translate
