// SPDX-License-Identifier: BSD-3-Clause
// The routes of what is beside the regions: links, the critical path, counters, samples.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tracer/view/api.hpp"
#include "tracer/view/json_text.hpp"

namespace tracer::view {
namespace {

using Json = nlohmann::json;

/// Of a trace whose times count from `origin`.
std::uint64_t since(std::uint64_t time, std::uint64_t origin) {
  return time - std::min(time, origin);
}

struct Window {
  std::uint64_t from, to;
};

Window asked_window(const Words& words) {
  const std::uint64_t to = words.number("to", 1, Api::most_time);
  return {words.number("from", 0, to - 1), to};
}

constexpr std::size_t most_series = 256;

}  // namespace

std::vector<bool> Api::wanted(const ViewedTrace& trace, const Words& words) const {
  const std::size_t locations = trace.index->definitions().locations.size();
  if (!words.has("lanes")) return std::vector<bool>(locations, true);
  std::vector<bool> out(locations);
  for (const std::uint32_t lane : words.list("lanes", lanes(), most_statistics_lanes))
    if (lane >= trace.first_lane && lane - trace.first_lane < locations) out[lane - trace.first_lane] = true;
  return out;
}

std::string Api::extra() const {
  bool is_ready = true, has_samples = false;
  std::string failure;
  Json counters = Json::array(), resolutions = Json::array();
  std::size_t left_out = 0;
  for (const ViewedTrace& one : traces_) {
    has_samples = has_samples || one.samples != nullptr;
    is_ready = is_ready && is_linked(one);
    if (const std::string why = failure_of_links(one); !why.empty()) failure += (failure.empty() ? "" : "; ") + why;
    const std::shared_ptr<const LinksFile> file = links_of(one);
    if (file == nullptr) continue;
    resolutions.push_back(file->resolution());
    const Definitions& of = one.index->definitions();
    for (const Series& series : file->series()) {
      if (counters.size() >= most_series) {
        ++left_out;
        continue;
      }
      const bool is_known = series.metric < of.metrics.size();
      counters.push_back({{"name", is_known ? of.metrics[series.metric].name : "metric"},
                          {"unit", is_known ? of.metrics[series.metric].shown_unit() : ""},
                          {"lane", one.first_lane + series.location},
                          {"min", series.least},
                          {"max", series.most},
                          {"points", series.points}});
    }
  }
  return text_of_json({{"ready", is_ready},
                       {"share", links_ == nullptr ? 0.0 : links_->share()},
                       {"failure", failure},
                       {"samples", has_samples},
                       {"resolutions", std::move(resolutions)},
                       {"counters", is_ready ? std::move(counters) : Json::array()},
                       {"countersLeftOut", left_out}});
}

std::string Api::links(const Words& words) const {
  constexpr std::size_t most_links = 5000, usual = 500;
  constexpr unsigned usual_kinds = (1u << link_kinds) - 1 - (1u << static_cast<unsigned>(LinkKind::lock));
  const Window span = asked_window(words);
  const std::size_t most = words.has("most") ? static_cast<std::size_t>(words.number("most", 1, most_links)) : usual;
  const unsigned kinds =
      words.has("kinds") ? static_cast<unsigned>(words.number("kinds", 1, (1u << link_kinds) - 1)) : usual_kinds;
  Json list = Json::array();
  std::uint64_t more = 0;
  bool is_ready = true, is_exact = true;
  for (const ViewedTrace& one : traces_) {
    const std::vector<bool> locations = wanted(one, words);
    is_ready = is_ready && is_linked(one);
    const std::shared_ptr<const LinksFile> file = links_of(one);
    if (file == nullptr) continue;
    const std::uint64_t origin = one.index->header().first;
    LinksFile::Query query;
    query.from = origin + span.from;
    query.to = origin + span.to;
    query.kinds = kinds;
    query.most = most / traces_.size();
    query.locations = &locations;
    const LinksFile::Links found = file->links(query);
    more += found.more;
    is_exact = is_exact && found.is_exact;
    for (const Link& link : found.list)
      list.push_back({static_cast<unsigned>(link.kind), one.first_lane + link.from, one.first_lane + link.to,
                      since(link.from_time, origin), since(link.to_time, origin)});
  }
  return text_of_json({{"ready", is_ready}, {"links", std::move(list)}, {"more", more}, {"exact", is_exact}});
}

std::string Api::path(const Words& words) const {
  const Window span = asked_window(words);
  const std::uint64_t width = words.number("width", 1, most_width);
  Json sides = Json::array();
  bool is_ready = true;
  for (const ViewedTrace& one : traces_) {
    Json steps = Json::array();
    is_ready = is_ready && is_linked(one);
    const std::shared_ptr<const LinksFile> file = links_of(one);
    const std::uint64_t origin = one.index->header().first;
    if (file != nullptr)
      for (const PathStep& step :
           file->path(origin + span.from, origin + std::min(span.to, length() + 1), static_cast<std::size_t>(width)))
        steps.push_back({one.first_lane + step.location, since(step.from, origin), since(step.to, origin)});
    sides.push_back(std::move(steps));
  }
  return text_of_json({{"ready", is_ready}, {"sides", std::move(sides)}});
}

std::string Api::counters(const Words& words) const {
  const Window span = asked_window(words);
  const std::uint64_t width = words.number("width", 1, most_width);
  const std::vector<std::uint32_t> asked = words.list("series", most_series, most_series);
  Json list = Json::array();
  std::size_t number = 0;
  for (const ViewedTrace& one : traces_) {
    if (!is_linked(one)) break;  // what is behind it has no numbers yet
    const std::shared_ptr<const LinksFile> file = links_of(one);
    if (file == nullptr) continue;
    const std::uint64_t origin = one.index->header().first;
    for (std::size_t i = 0; i < file->series().size() && number < most_series; ++i, ++number) {
      if (!std::binary_search(asked.begin(), asked.end(), number)) continue;
      Json times = Json::array(), values = Json::array();
      for (const CounterPoint& point : file->counter(i, origin + span.from, origin + std::min(span.to, length() + 1),
                                                     static_cast<std::size_t>(width))) {
        times.push_back(since(point.time, origin));
        values.push_back(point.value);
      }
      list.push_back({{"series", number}, {"time", std::move(times)}, {"value", std::move(values)}});
    }
  }
  return text_of_json({{"counters", std::move(list)}});
}

std::string Api::samples(const Words& words) const {
  const Window span = asked_window(words);
  const std::uint64_t width = words.number("width", 1, most_width);
  Json list = Json::array();
  for (const std::uint32_t number : words.list("lanes", lanes(), most_lanes)) {
    const Lane of = lane(number);
    if (of.trace->samples == nullptr || !of.trace->samples->has(of.location)) continue;
    Json times = Json::array(), counts = Json::array();
    for (const Sampled::Column& column :
         of.trace->samples->columns(of.location, of.origin + span.from, of.origin + std::min(span.to, length() + 1),
                                    static_cast<std::size_t>(width))) {
      times.push_back(since(column.time, of.origin));
      counts.push_back(column.count);
    }
    list.push_back({{"lane", number}, {"time", std::move(times)}, {"count", std::move(counts)}});
  }
  return text_of_json({{"lanes", std::move(list)}});
}

std::string Api::functions(const Words& words) const {
  constexpr std::size_t most_rows = 200;
  const Window span = asked_window(words);
  Json rows = Json::array();
  std::uint64_t all = 0, left_out = 0, period = 0;
  for (const ViewedTrace& one : traces_) {
    const std::vector<bool> is_wanted = wanted(one, words);
    if (one.samples == nullptr) continue;
    std::vector<LocationRef> locations;
    for (std::size_t i = 0; i < is_wanted.size(); ++i)
      if (is_wanted[i]) locations.push_back(static_cast<LocationRef>(i));
    const std::uint64_t origin = one.index->header().first;
    const auto lines = one.samples->lines(locations, origin + span.from, origin + span.to - 1);
    if (!lines.empty()) period = one.samples->period();
    for (const Sampled::Line& line : lines) {
      all += line.count;
      if (rows.size() >= most_rows)
        ++left_out;
      else
        rows.push_back({{"function", line.function}, {"file", line.file}, {"line", line.line}, {"count", line.count}});
    }
  }
  return text_of_json({{"samples", all}, {"rows", std::move(rows)}, {"leftOut", left_out}, {"period", period}});
}

}  // namespace tracer::view
