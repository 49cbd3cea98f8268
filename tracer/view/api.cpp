// SPDX-License-Identifier: BSD-3-Clause
// See api.hpp.
#include "tracer/view/api.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "tracer/view/details.hpp"
#include "tracer/view/json_text.hpp"
#include "tracer/view/text.hpp"
#include "tracer/view/window.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

void append(std::string& out, std::uint64_t value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// "[1,2,3]" of what `get` has of each.
template <class Get>
void append_list(std::string& out, const std::vector<Span>& row, Get&& get) {
  out += '[';
  for (const Span& one : row) {
    if (&one != row.data()) out += ',';
    append(out, get(one));
  }
  out += ']';
}

}  // namespace

std::uint32_t Api::lanes() const {
  const ViewedTrace& last = traces_.back();
  return last.first_lane + static_cast<std::uint32_t>(last.index->definitions().locations.size());
}

std::uint64_t Api::length() const {
  std::uint64_t length = 1;
  for (const ViewedTrace& one : traces_)
    length = std::max(length, one.index->header().last - one.index->header().first);
  return length;
}

Api::Lane Api::lane(std::uint32_t number) const {
  const ViewedTrace* of = &traces_.front();
  for (const ViewedTrace& one : traces_)
    if (one.first_lane <= number) of = &one;
  return {of, number - of->first_lane, of->index->header().first};
}

std::string Api::answer(const std::string& name, const Words& words) {
  if (name == "trace") return meta();
  if (name == "window") return window(words);
  if (name == "at") return at(words);
  if (name == "statistics") return statistics(words);
  if (name == "search") return search(words);
  if (name == "events") return events(words);
  if (name == "activity") return activity(words);
  if (name == "extra") return extra();
  if (name == "links") return links(words);
  if (name == "path") return path(words);
  if (name == "counters") return counters(words);
  if (name == "samples") return samples(words);
  if (name == "functions") return functions(words);
  if (name == "report" && reports_ != nullptr) return reports_->answer();
  return {};
}

std::string Api::window(const Words& words) {
  constexpr std::size_t blocks_in_all = 600, most_spans = 500'000;
  const std::uint64_t to = words.number("to", 1, most_time), from = words.number("from", 0, to - 1),
                      width = words.number("width", 1, most_width);
  const std::vector<std::uint32_t> lanes = words.list("lanes", this->lanes(), most_lanes);
  const std::size_t blocks = blocks_in_all / lanes.size();
  std::string out = "{\"from\":";
  append(out, from);
  out += ",\"to\":";
  append(out, to);
  out += ",\"lanes\":[";
  std::size_t spans = 0;
  for (const std::uint32_t number : lanes) {
    const Lane at = lane(number);
    // A pixel is one of what there is.
    const std::uint64_t end = std::max(from + 1, std::min(to, length()));
    const LaneWindow found = window_of(*at.trace->index, at.location, at.origin + from, at.origin + end, width, blocks);
    if (number != lanes.front()) out += ',';
    out += "{\"lane\":";
    append(out, number);
    out += found.is_exact ? ",\"exact\":true" : ",\"exact\":false";
    out += found.is_merged ? ",\"merged\":true" : ",\"merged\":false";
    out += ",\"events\":";
    append(out, found.events);
    out += ",\"rows\":[";
    for (std::size_t depth = 0; depth < found.rows.size() && spans < most_spans; ++depth) {
      const std::vector<Span>& row = found.rows[depth];
      spans += row.size();
      out += depth == 0 ? "{\"begin\":" : ",{\"begin\":";
      append_list(out, row, [&](const Span& one) { return one.begin - std::min(one.begin, at.origin); });
      out += ",\"end\":";
      append_list(out, row, [&](const Span& one) { return one.end - std::min(one.end, at.origin); });
      out += ",\"name\":";
      append_list(out, row, [&](const Span& one) { return name_of(*at.trace, one.region); });
      out += ",\"count\":";
      append_list(out, row, [](const Span& one) { return one.count; });
      out += '}';
    }
    out += "]}";
  }
  return out + "]}";
}

std::string Api::statistics(const Words& words) {
  const std::uint64_t to = words.number("to", 1, most_time), from = words.number("from", 0, to - 1);
  const std::vector<std::uint32_t> lanes = words.list("lanes", this->lanes(), most_statistics_lanes);
  index::Sums all;  // by name on the page: of two traces each its own
  for (const std::uint32_t number : lanes) {
    const Lane at = lane(number);
    index::Sums sums;
    at.trace->index->add_sums(at.location, at.origin + from, at.origin + to, sums);
    for (const index::Sum& sum : sums.list()) {
      index::Sum one = sum;
      one.region = name_of(*at.trace, sum.region);
      one.depth = 0;
      all.add(one);
    }
  }
  std::vector<index::Sum> rows = all.list();
  std::sort(rows.begin(), rows.end(), [](const index::Sum& a, const index::Sum& b) {
    return a.own != b.own ? a.own > b.own : a.region < b.region;
  });
  Json list = Json::array();
  for (const index::Sum& sum : rows)
    list.push_back({{"name", sum.region}, {"own", sum.own}, {"inclusive", sum.inclusive}, {"count", sum.count}});
  return Json{{"from", from}, {"to", to}, {"lanes", lanes.size()}, {"rows", std::move(list)}}.dump();
}

std::string Api::events(const Words& words) {
  constexpr std::uint64_t most_events = 10'000;
  const Lane of = lane(words.list("lane", lanes(), 1).front());
  const std::uint64_t to = words.number("to", 1, most_time), from = words.number("from", 0, to - 1),
                      most = words.has("most") ? words.number("most", 1, most_events) : 1000;
  return text_of_json({{"events", events_of(*of.trace->index, of.location, of.origin, from, to, most)}});
}

}  // namespace tracer::view
