// SPDX-License-Identifier: BSD-3-Clause
// Searching through all of the traces' events, as far as there is time in one answer.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tracer/view/api.hpp"
#include "tracer/view/details.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/query.hpp"
#include "tracer/view/text.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;
using Found = index::TraceIndex::Found;

/// The first event of a type, or the last, on any of the locations.
std::optional<Found> event_in(index::TraceIndex& index, EventType type, const std::vector<bool>& locations,
                              std::uint64_t after, std::uint64_t before, bool is_next) {
  std::optional<Found> best;
  for (LocationRef ref = 0; ref < locations.size(); ++ref) {
    if (!locations[ref]) continue;
    index.events(ref, after + 1, [&](const Event& event, std::span<const EventAttribute>) {
      if (event.time >= before) return false;
      if (event.type != type) return true;
      best = Found{ref, undefined_ref, event.time, 0};
      (is_next ? before : after) = event.time;
      return !is_next;
    });
  }
  return best;
}

/// In a trace. `depth` and `region` of an event are those of what is innermost there, `time` its begin.
class Searcher {
 public:
  Searcher(const ViewedTrace& trace, const SearchText& what, std::vector<bool> locations)
      : index_{*trace.index},
        what_{what},
        locations_{std::move(locations)},
        regions_{regions_named(index_.definitions(), what.name)} {}
  bool can_find() const { return what_.event || std::find(regions_.begin(), regions_.end(), true) != regions_.end(); }
  std::optional<Found> find(std::uint64_t after, std::uint64_t before, bool is_next) {
    if (what_.event) return event_in(index_, *what_.event, locations_, after, before, is_next);
    const index::TraceIndex::Sought sought{regions_, locations_, after, before, what_.least};
    return is_next ? index_.next(sought) : index_.previous(sought);
  }

 private:
  index::TraceIndex& index_;
  const SearchText& what_;
  std::vector<bool> locations_;
  std::vector<bool> regions_;
};

Json found_json(const ViewedTrace& trace, const Found& found, const SearchText& what) {
  const std::uint64_t origin = trace.index->header().first;
  Json json{{"lane", trace.first_lane + found.location}, {"time", found.time - origin}};
  std::optional<index::Slice> slice;
  if (what.event)
    slice = slice_with(*trace.index, found.location, found.time, *what.event);
  else
    for (const index::Slice& one : trace.index->slices(found.location, found.time, found.time))
      if (one.depth == found.depth && one.begin == found.time && one.region == found.region) slice = one;
  json["begin"] = slice ? slice->begin - origin : found.time - origin;
  json["end"] = slice ? slice->end - origin : found.time - origin;
  json["depth"] = slice ? slice->depth : found.depth;
  json["name"] = name_of(trace, slice ? slice->region : found.region);
  return json;
}

}  // namespace

/// What needs single events is looked at part by part of the time, until an answer has taken long enough: where it did
/// not find anything, it contains how far it came.
std::string Api::search(const Words& words) {
  constexpr std::uint64_t parts = 256;
  constexpr std::chrono::milliseconds time_for_an_answer{1500};
  const SearchText what = parse_search(words.text("text"));
  const bool is_next = words.has("after");
  const std::uint64_t time = words.number(is_next ? "after" : "before", 0, most_time);
  const bool with_it = words.has("first") && words.number("first", 0, 1) == 1;  // also what begins at that very time
  std::vector<std::pair<const ViewedTrace*, Searcher>> searchers;
  for (const ViewedTrace& one : traces_) {
    searchers.emplace_back(&one, Searcher{one, what, wanted(one, words)});
    if (!searchers.back().second.can_find()) searchers.pop_back();
  }
  const bool is_in_parts = what.event || what.least != 0;
  const std::uint64_t whole = length() + 1, step = is_in_parts ? whole / parts + 1 : most_time;
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t at = is_next ? time : std::min(time, whole);
  bool is_first = with_it;
  while (!searchers.empty() && (is_next ? at < whole : at > 0)) {
    // Times from `low` to `high`, both outside.
    const std::uint64_t low = is_next ? at : at - std::min(at, step), high = is_next ? at + step : at;
    std::optional<Found> best;
    const ViewedTrace* of = nullptr;
    for (auto& [trace, searcher] : searchers) {
      const std::uint64_t origin = trace->index->header().first;
      const bool with_low = is_next ? is_first : true;  // the part before ends behind its begin
      std::optional<Found> found =
          searcher.find(origin + low - (with_low && origin + low != 0 ? 1 : 0), origin + high, is_next);
      if (!found) continue;
      const std::uint64_t mine = found->time - origin, best_time = best ? best->time - of->index->header().first : 0;
      if (best && (is_next ? mine >= best_time : mine <= best_time)) continue;
      best = found;
      of = trace;
    }
    if (best) return text_of_json(found_json(*of, *best, what));
    is_first = is_next;  // what begins where the next part does was not looked at
    at = is_next ? high : low;
    if (is_in_parts && std::chrono::steady_clock::now() - began > time_for_an_answer && (is_next ? at < whole : at > 0))
      return Json{{"until", at}}.dump();
  }
  return "{}";
}

}  // namespace tracer::view
